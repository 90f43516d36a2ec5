// Teams: their names, the assignment of their chats, and their members.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { hasRole } from "#app/session.js";
import { Avatar, Button, Select, Tag } from "#ui/controls.js";
import { confirm, Dialog } from "#ui/dialog.js";
import { Loaded } from "#ui/states.js";
import { FormDialog } from "../developers/form.js";
import { PagedTable } from "../developers/paged.js";
import { attempt } from "../developers/parts.js";

/** @typedef {{id: string, name: string, assignment: string, open: boolean, timeZone: string, afterHoursText?: string | null}} Team */

const TEAMS = "/api/v1/teams";
const ASSIGNMENTS = ["off", "round-robin", "least-busy"];

export function Teams() {
  const [turn, setTurn] = useState(0);
  const [dialog, setDialog] = useState(/** @type {"" | "new" | Team} */ (""));
  const [members, setMembers] = useState(/** @type {Team | null} */ (null));
  const may = hasRole("ADMIN", "SUPERVISOR");
  const again = () => setTurn((before) => before + 1);
  const remove = async (/** @type {Team} */ team) => {
    if (!(await confirm({ title: t("administration.removeTeamTitle", { name: team.name }), text: t("administration.removeTeamText"), action: t("common.delete"), danger: true }))) return;
    if (await attempt(() => api.remove(`${TEAMS}/${team.id}`), t("administration.teamRemoved"))) again();
  };
  const team = typeof dialog === "object" ? dialog : null;
  const save = async (/** @type {Record<string, any>} */ values) => {
    const body = { ...values, timeZone: values.timeZone || null, afterHoursText: values.afterHoursText || null };
    await (team ? api.put(`${TEAMS}/${team.id}`, body) : api.post(TEAMS, body));
    again();
  };
  const columns = [
    { key: "name", title: t("administration.name"), cell: (/** @type {Team} */ one) => one.name },
    { key: "open", title: t("administration.now"), cell: (/** @type {Team} */ one) => html`<${Tag} tone=${one.open ? "success" : "warning"}>${t(one.open ? "administration.teamOpen" : "inbox.teamClosed")}<//>` },
    { key: "assignment", title: t("administration.assignment"), cell: (/** @type {Team} */ one) => t(`administration.assignments.${one.assignment}`) },
    { key: "zone", title: t("administration.timeZone"), cell: (/** @type {Team} */ one) => one.timeZone },
    ...(may ? [{ key: "change", title: t("common.edit"), hideTitle: true, end: true, cell: (/** @type {Team} */ one) => html`<${Button} kind="quiet small" icon="edit" label=${t("administration.editNamed", { name: one.name })} onClick=${() => setDialog(one)} />
      <${Button} kind="quiet small" icon="trash" label=${t("administration.removeNamed", { name: one.name })} onClick=${() => remove(one)} />` }] : []),
  ];
  return html`<div class="filters"><p class="row grow small soft">${t("administration.teamsText")}</p>
      ${may && html`<div class="row"><${Button} kind="primary" icon="plus" onClick=${() => setDialog("new")}>${t("administration.addTeam")}<//></div>`}</div>
    <${PagedTable} label=${t("administration.parts.teams")} path=${TEAMS} columns=${columns} turn=${turn} onOpen=${setMembers} empty=${{ icon: "contacts", title: t("administration.noTeams") }} />
    ${dialog && html`<${FormDialog} title=${team?.name ?? t("administration.addTeam")} save=${save} onClose=${() => setDialog("")}
      values=${{ name: team?.name ?? "", assignment: team?.assignment ?? "off", timeZone: team?.timeZone ?? "", afterHoursText: team?.afterHoursText ?? "" }}
      fields=${[{ key: "name", label: t("administration.name"), required: true }, { key: "assignment", label: t("administration.assignment"), kind: "select", options: ASSIGNMENTS.map((one) => [one, t(`administration.assignments.${one}`)]) },
        { key: "timeZone", label: t("administration.timeZone"), hint: t("administration.timeZoneHint"), placeholder: "Africa/Johannesburg" },
        { key: "afterHoursText", label: t("administration.afterHours"), kind: "area", hint: t("administration.afterHoursHint") }]} />`}
    ${members && html`<${Members} team=${members} may=${may} onClose=${() => setMembers(null)} />`}`;
}

/** @param {{team: Team, may: boolean, onClose: () => void}} props */
function Members({ team, may, onClose }) {
  const load = useLoad(async (signal) => {
    const [inside, all] = await Promise.all([api.get(`${TEAMS}/${team.id}/members`, { size: 200 }, { signal }), api.get("/api/v1/users", { size: 200 }, { signal })]);
    return { inside: inside.content, others: all.content.filter((/** @type {any} */ one) => one.teamId !== team.id) };
  }, [team.id]);
  const change = async (/** @type {string} */ user, /** @type {boolean} */ add) => {
    const path = `${TEAMS}/${team.id}/members/${user}`;
    if (user && await attempt(() => (add ? api.put(path) : api.remove(path)))) load.reload();
  };
  return html`<${Dialog} title=${t("administration.membersOf", { name: team.name })} onClose=${onClose}><${Loaded} load=${load}>${(/** @type {any} */ { inside, others }) => html`
    ${inside.length ? html`<ul class="list">${inside.map((/** @type {any} */ one) => html`<li key=${one.id} class="list-row"><${Avatar} name=${one.name} small=${true} /><span class="grow">${one.name}</span>
      ${may && html`<${Button} kind="quiet small" icon="close" label=${t("administration.removeNamed", { name: one.name })} onClick=${() => change(one.id, false)} />`}</li>`)}</ul>` : html`<p class="soft small">${t("administration.noMembers")}</p>`}
    ${may && others.length > 0 && html`<${Select} label=${t("administration.addMember")} value="" options=${[["", t("administration.chooseUser")], ...others.map((/** @type {any} */ one) => [one.id, one.team ? `${one.name} (${one.team})` : one.name])]} onValue=${(/** @type {string} */ id) => change(id, true)} />`}`}<//><//>`;
}
