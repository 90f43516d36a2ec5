// The dialogs of one contact: a new one, and the name, tags and notes of a known one.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { href } from "#app/router.js";
import { Button, TextField } from "#ui/controls.js";
import { Dialog, confirm } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";
import { report, reportFault } from "#ui/toast.js";
import { ContactAttributes } from "./attributes.js";
import { CONTACTS, ContactNotes, TagEditor } from "./facts.js";
import { MergeDialog, Merges } from "./merge.js";

/** @typedef {import("./facts.js").ContactRecord} ContactRecord */

/** @param {{onClose: () => void}} props */
export function NewContactDialog({ onClose }) {
  const [form, setForm] = useState({ fullName: "", phoneNumber: "" });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const faults = faultsByField(error);
  const submit = async () => {
    setBusy(true);
    try {
      await api.post(CONTACTS, { fullName: form.fullName.trim(), phoneNumber: form.phoneNumber.trim() });
      report(t("contacts.added", { name: form.fullName.trim() }));
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t("contacts.add")} onClose=${onClose} onSubmit=${submit} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy}>${t("common.save")}<//>`}>
    ${error && !Object.keys(faults).length && html`<${Fault} error=${error} />`}
    <${TextField} label=${t("contacts.name")} value=${form.fullName} fault=${faults.fullName} onValue=${(/** @type {string} */ fullName) => setForm({ ...form, fullName })} required maxlength="200" autofocus />
    <${TextField} label=${t("contacts.phone")} hint=${t("contacts.phoneHint")} value=${form.phoneNumber} fault=${faults.phoneNumber} onValue=${(/** @type {string} */ phoneNumber) => setForm({ ...form, phoneNumber })} required type="tel" />
  <//>`;
}

/** @param {{contact: ContactRecord, onClose: () => void}} props */
export function ContactDialog({ contact, onClose }) {
  const [name, setName] = useState(contact.fullName);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [merging, setMerging] = useState(false);
  // Counts merges, which change tags and notes.
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((before) => before + 1);
  const wanted = contact.phoneNumber ?? contact.customerUserId ?? contact.fullName;
  const submit = async () => {
    setBusy(true);
    try {
      await api.put(`${CONTACTS}/${contact.id}`, { fullName: name.trim() });
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  const remove = async () => {
    if (!(await confirm({ title: t("contacts.delete"), text: t("contacts.deleteText", { name: contact.fullName }), action: t("common.delete"), danger: true }))) return;
    await api.remove(`${CONTACTS}/${contact.id}`).then(onClose, reportFault);
  };
  if (merging) return html`<${MergeDialog} contact=${contact} onClose=${() => setMerging(false)} onMerged=${again} />`;
  return html`<${Dialog} title=${contact.fullName} onClose=${onClose} foot=${html`
    <${Button} kind="danger" icon="trash" onClick=${remove}>${t("contacts.delete")}<//><${Button} icon="users" onClick=${() => setMerging(true)}>${t("contacts.merge")}<//>
    <a class="button" href=${href("/inbox/all", { q: wanted })}>${t("contacts.chats")}</a>
    <${Button} kind="primary" busy=${busy} disabled=${!name.trim() || name.trim() === contact.fullName} onClick=${submit}>${t("common.save")}<//>`}>
    ${error && html`<${Fault} error=${error} />`}
    <${TextField} label=${t("contacts.name")} value=${name} onValue=${setName} required maxlength="200" />
    <section class="stack tight"><h3>${t("contacts.tags")}</h3><${TagEditor} key=${turn} contact=${contact.id} /></section>
    <${ContactAttributes} key=${`attributes ${turn}`} contact=${contact.id} />
    <section class="stack tight"><h3>${t("contacts.notes")}</h3><${ContactNotes} key=${turn} contact=${contact.id} /></section>
    <${Merges} contact=${contact} turn=${turn} onUndone=${again} />
  <//>`;
}
