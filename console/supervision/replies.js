// Canned replies of all teams, with variables and shortcuts.
import { html } from "htm/preact";
import { useRef, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { Button, SearchField, Select, TextArea, TextField } from "#ui/controls.js";
import { Dialog, confirm } from "#ui/dialog.js";
import { Empty, Fault, Loaded } from "#ui/states.js";
import { Pager, Table, useFilledPage } from "#ui/table.js";
import { report, reportFault } from "#ui/toast.js";

/** @typedef {{id: string, shortcut: string, text: string, variables: string[], teamId: string | null}} Reply */

const REPLIES = "/chat-service/api/v2/canned-replies";
const VARIABLES = ["customer.name", "customer.phone", "agent.name", "team.name", "ticket.number", "client.name"];

export function Replies() {
  const [text, setText] = useState("");
  const [page, setPage] = useState(0);
  const [dialog, setDialog] = useState(/** @type {null | "new" | Reply} */ (null));
  const search = useSettled(text.trim());
  const load = useLoad((signal) => api.get(REPLIES, { search, page, size: 50 }, { signal }), [search, page]);
  useFilledPage(load.data, setPage);
  const teams = useLoad((signal) => api.get("/api/v1/teams", { size: 500 }, { signal }), []);
  const teamName = (/** @type {string | null} */ id) => (id ? teams.data?.content.find((/** @type {any} */ one) => one.id === id)?.name ?? id : t("supervision.allTeams"));
  const columns = [
    { key: "shortcut", title: t("supervision.shortcut"), cell: (/** @type {Reply} */ one) => html`<code>/${one.shortcut}</code>` },
    { key: "text", title: t("supervision.text"), cell: (/** @type {Reply} */ one) => html`<span class="clip reply-text">${one.text}</span>` },
    { key: "team", title: t("supervision.team"), cell: (/** @type {Reply} */ one) => html`<span class="soft">${teamName(one.teamId)}</span>` },
  ];
  const close = () => {
    setDialog(null);
    load.reload();
  };
  return html`<div class="stack"><div class="row wrap"><${SearchField} label=${t("supervision.searchReplies")} value=${text} onValue=${(/** @type {string} */ next) => (setText(next), setPage(0))} />
      <${Button} kind="primary" icon="plus" onClick=${() => setDialog("new")}>${t("supervision.newReply")}<//></div>
    <${Loaded} load=${load}>${(/** @type {any} */ found) => (found.content.length ? html`<${Table} label=${t("supervision.part_replies")} columns=${columns} rows=${found.content} onOpen=${setDialog} /><${Pager} page=${found} onPage=${setPage} />`
      : html`<div class="card"><${Empty} icon="note" title=${t("supervision.noReplies")}><p>${t("supervision.noRepliesHint")}</p><//></div>`)}<//>
    ${dialog && html`<${ReplyDialog} reply=${dialog === "new" ? undefined : dialog} teams=${teams.data?.content ?? []} onClose=${close} />`}</div>`;
}

/** @param {{reply?: Reply, teams: any[], onClose: () => void}} props */
function ReplyDialog({ reply, teams, onClose }) {
  const [shortcut, setShortcut] = useState(reply?.shortcut ?? "");
  const [text, setText] = useState(reply?.text ?? "");
  const [team, setTeam] = useState(reply?.teamId ?? "");
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const field = useRef(/** @type {HTMLElement | null} */ (null));
  const faults = faultsByField(fault);
  const insert = (/** @type {string} */ variable) => {
    const area = field.current?.querySelector("textarea");
    const at = area?.selectionStart ?? text.length;
    setText(`${text.slice(0, at)}{{${variable}}}${text.slice(area?.selectionEnd ?? at)}`);
    area?.focus();
  };
  const send = async () => {
    setBusy(true);
    const body = { shortcut, text, teamId: team || null };
    try {
      if (reply) await api.put(`${REPLIES}/${reply.id}`, body);
      else await api.post(REPLIES, body);
      report(t("supervision.replySaved", { shortcut }));
      onClose();
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  const remove = async () => {
    if (!reply || !(await confirm({ title: t("supervision.deleteReply", { shortcut }), text: reply.text, action: t("common.delete"), danger: true }))) return;
    try {
      await api.remove(`${REPLIES}/${reply.id}`);
      onClose();
    } catch (error) {
      reportFault(error);
    }
  };
  return html`<${Dialog} title=${reply ? `/${reply.shortcut}` : t("supervision.newReply")} onClose=${onClose} onSubmit=${send} foot=${html`
      ${reply && html`<${Button} kind="danger" icon="trash" onClick=${remove}>${t("common.delete")}<//>`}<${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy}>${t("common.save")}<//>`}>
    <${TextField} label=${t("supervision.shortcut")} hint=${t("supervision.shortcutHint")} value=${shortcut} onValue=${setShortcut} pattern="[a-z0-9_\\-]{1,32}" required=${true} fault=${faults.shortcut} spellcheck=${false} />
    <div ref=${field}><${TextArea} label=${t("supervision.text")} value=${text} onValue=${setText} rows="5" maxlength="4000" required=${true} fault=${faults.text} /></div>
    <div class="row wrap" role="group" aria-label=${t("supervision.variables")}>${VARIABLES.map((one) => html`<${Button} key=${one} kind="small" icon="plus" onClick=${() => insert(one)}>${one}<//>`)}</div>
    <${Select} label=${t("supervision.team")} value=${team} options=${[["", t("supervision.allTeams")], ...teams.map((one) => [one.id, one.name])]} onValue=${setTeam} fault=${faults.teamId} />
    ${fault && html`<${Fault} error=${fault} />`}<//>`;
}
