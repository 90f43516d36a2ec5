// Merges two contacts by hand, and undoes it.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { fullTime, shortTime } from "#app/time.js";
import { Avatar, Button, SearchField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Empty, Fault, Loaded } from "#ui/states.js";
import { report, reportFault } from "#ui/toast.js";
import { CONTACTS } from "./facts.js";

/** @typedef {import("./facts.js").ContactRecord} ContactRecord */
/** @typedef {{contactId: string, fullName: string, phoneNumber?: string | null, tagsAdded: string[], userName?: string | null, createdTime: string}} ContactMerge */

/** A number in international form; masked numbers stay as they are. @param {string | null | undefined} digits */
function shown(digits) {
  return digits && /^\d+$/.test(digits) ? `+${digits}` : (digits ?? "");
}

/** Undoes a merge. @param {string} kept @param {string} merged @param {string} name */
async function undo(kept, merged, name) {
  await api.remove(`${CONTACTS}/${kept}/merges/${merged}`);
  report(t("contacts.unmerged", { name }));
}

/** Chooses the contact that is merged into this one. @param {{contact: ContactRecord, onClose: () => void, onMerged: () => void}} props */
export function MergeDialog({ contact, onClose, onMerged }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(/** @type {ContactRecord | null} */ (null));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const wanted = useSettled(text.trim());
  const load = useLoad((signal) => api.get(CONTACTS, { size: 20, search: wanted }, { signal }), [wanted]);
  const submit = async () => {
    if (!chosen) return;
    setBusy(true);
    try {
      await api.post(`${CONTACTS}/${contact.id}/merges`, { contactId: chosen.id });
      report(t("contacts.merged", { name: chosen.fullName, kept: contact.fullName }));
      onMerged();
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t("contacts.merge")} onClose=${onClose} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" busy=${busy} disabled=${!chosen || undefined} onClick=${submit}>${t("contacts.mergeInto", { kept: contact.fullName })}<//>`}>
    <p class="small soft">${t("contacts.mergeText", { kept: contact.fullName })}</p>
    ${error && html`<${Fault} error=${error} />`}
    <${SearchField} label=${t("contacts.search")} value=${text} onValue=${(/** @type {string} */ next) => (setText(next), setChosen(null))} autofocus />
    <${Loaded} load=${load}>${(/** @type {{content: ContactRecord[]}} */ page) => {
      const others = page.content.filter((one) => one.id !== contact.id);
      if (!others.length) return html`<${Empty} icon="contacts" title=${t("inbox.nothingFound")} />`;
      return html`<ul class="template-list">${others.map((one) => html`<li key=${one.id}><button type="button" class="menu-item" aria-pressed=${String(chosen?.id === one.id)} onClick=${() => setChosen(one)}>
        <${Avatar} name=${one.fullName} small=${true} /><span class="grow clip">${one.fullName}</span><span class="soft small number">${shown(one.phoneNumber) || (one.customerUserId ?? "")}</span></button></li>`)}</ul>`;
    }}<//>
  <//>`;
}

/** The contacts that were merged into this one. @param {{contact: ContactRecord, turn: number, onUndone: () => void}} props */
export function Merges({ contact, turn, onUndone }) {
  const load = useLoad((signal) => api.get(`${CONTACTS}/${contact.id}/merges`, { size: 20 }, { signal }), [contact.id, turn]);
  const run = (/** @type {ContactMerge} */ merge) => undo(contact.id, merge.contactId, merge.fullName).then(onUndone, reportFault);
  return html`<${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {{content: ContactMerge[]}} */ page) => page.content.length > 0 && html`<section class="stack tight"><h3>${t("contacts.merges")}</h3>
    <ul class="plain">${page.content.map((merge, index) => html`<li key=${merge.contactId} class="row"><span class="grow clip">${merge.fullName} <span class="soft small number">${shown(merge.phoneNumber)}</span></span>
      <span class="tiny soft clip" title=${fullTime(merge.createdTime)}>${merge.userName ?? ""} · ${shortTime(merge.createdTime)}</span>
      ${index === 0 && html`<${Button} kind="small" icon="undo" onClick=${() => run(merge)}>${t("contacts.undoMerge")}<//>`}</li>`)}</ul></section>`}<//>`;
}
