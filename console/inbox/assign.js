// The dialog that gives a chat to another agent or to the queue of a team.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { viewer } from "#app/session.js";
import { Avatar, SearchField, Tag } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Fault, SkeletonList } from "#ui/states.js";
import { transfer } from "./actions.js";
import { agents, loadPeople, people } from "./people.js";

/** @param {{chat: import("./types.js").Chat, onClose: () => void}} props */
export function AssignDialog({ chat, onClose }) {
  const [text, setText] = useState("");
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const load = () => loadPeople(true).then(() => setError(null), setError);
  useEffect(() => void load(), []);
  const fits = (/** @type {string} */ name) => name.toLowerCase().includes(text.trim().toLowerCase());
  const give = async (/** @type {object} */ to, /** @type {string} */ name) => {
    if (await transfer(chat, to, name)) onClose();
  };
  const users = agents().filter((user) => user.id !== chat.assignedTo?.id && fits(user.name)).sort((one, other) => Number(other.available) - Number(one.available) || one.name.localeCompare(other.name));
  const teams = (people.value?.teams ?? []).filter((team) => fits(team.name));
  return html`<${Dialog} title=${t("inbox.assign")} onClose=${onClose} class="assign">
    <${SearchField} label=${t("inbox.searchPeople")} value=${text} onValue=${setText} autofocus />
    ${error && html`<${Fault} error=${error} retry=${load} />`}
    ${!people.value && !error ? html`<${SkeletonList} rows=${4} round=${true} />` : html`
      ${teams.length > 0 && html`<section><h3 class="menu-title">${t("inbox.teams")}</h3><ul>${teams.map((team) => html`<li key=${team.id}>
        <button type="button" class="menu-item" onClick=${() => give({ teamId: team.id }, team.name)}><${Icon} name="contacts" /><span class="grow clip">${team.name}</span>${!team.open && html`<${Tag} tone="warning">${t("inbox.teamClosed")}<//>`}</button></li>`)}</ul></section>`}
      <section><h3 class="menu-title">${t("inbox.agents")}</h3><ul>${users.map((user) => html`<li key=${user.id}>
        <button type="button" class="menu-item" onClick=${() => give({ agentId: user.id }, user.name)}><${Avatar} name=${user.name} small=${true} />
          <span class="grow clip">${user.id === viewer.value?.id ? t("inbox.me", { name: user.name }) : user.name}</span><span class="soft tiny">${user.team ?? ""}</span>
          <i class=${`dot ${user.available ? "success" : ""}`} title=${t(user.available ? "inbox.available" : "inbox.unavailable")}></i></button></li>`)}</ul>
        ${!users.length && html`<p class="soft small column-note">${t("inbox.noAgentFound")}</p>`}</section>`}
  <//>`;
}
