// Tags and notes of a contact, for the page of contacts and the panel of the customer.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { hasRole, viewer } from "#app/session.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button, TextArea } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Loaded } from "#ui/states.js";
import { reportFault } from "#ui/toast.js";

export const CONTACTS = "/messaging-service/WhatsApp/contacts";

/** @typedef {{id: string, fullName: string, phoneNumber?: string | null, customerUserId?: string | null, createdTime: string}} ContactRecord */
/** @typedef {{id: string, text: string, authorId: string, authorName?: string | null, createdTime: string}} ContactNote */

/** The tags of a contact, which can be added and removed. `first`: known ones, which another user may change. @param {{contact: string, first?: string[], onChange?: () => void}} props */
export function TagEditor({ contact, first, onChange }) {
  const load = useLoad(async (signal) => first ?? (await api.get(`${CONTACTS}/${contact}/tags`, undefined, { signal })).tags, [contact]);
  useEffect(() => {
    if (first) load.replace(first);
  }, [first]);
  const [text, setText] = useState("");
  const save = async (/** @type {string[]} */ tags) => {
    try {
      const stored = await api.put(`${CONTACTS}/${contact}/tags`, { tags });
      load.replace(stored.tags);
      onChange?.();
    } catch (error) {
      reportFault(error);
    }
  };
  const add = (/** @type {Event} */ event, /** @type {string[]} */ tags) => {
    event.preventDefault();
    const tag = text.trim();
    setText("");
    if (tag && !tags.some((one) => one.toLowerCase() === tag.toLowerCase())) void save([...tags, tag]);
  };
  return html`<${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {string[]} */ tags) => html`<form class="row wrap tag-editor" onSubmit=${(/** @type {Event} */ event) => add(event, tags)}>
    ${tags.map((tag) => html`<span key=${tag} class="tag">${tag}<button type="button" class="tag-remove" aria-label=${t("contacts.removeTag", { tag })} onClick=${() => save(tags.filter((one) => one !== tag))}><${Icon} name="close" size="small" /></button></span>`)}
    <input class="input tag-input" aria-label=${t("contacts.addTag")} placeholder=${t("contacts.addTag")} maxlength="40" value=${text} onInput=${(/** @type {any} */ event) => setText(event.currentTarget.value)} />
  </form>`}<//>`;
}

/** The notes about the customer of a contact. @param {{contact: string}} props */
export function ContactNotes({ contact }) {
  const load = useLoad((signal) => api.get(`${CONTACTS}/${contact}/notes`, { size: 50 }, { signal }), [contact]);
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const write = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!text.trim()) return;
    setBusy(true);
    try {
      await api.post(`${CONTACTS}/${contact}/notes`, { text: text.trim() });
      setText("");
      load.reload();
    } catch (error) {
      reportFault(error);
    }
    setBusy(false);
  };
  const remove = async (/** @type {ContactNote} */ note) => {
    if (!(await confirm({ title: t("contacts.deleteNote"), text: note.text, action: t("common.delete"), danger: true }))) return;
    await api.remove(`${CONTACTS}/${contact}/notes/${note.id}`).then(load.reload, reportFault);
  };
  const mayDelete = (/** @type {ContactNote} */ note) => !hasRole("AGENT") || note.authorId === viewer.value?.id;
  return html`<${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {{content: ContactNote[]}} */ page) => html`<ul class="stack contact-notes">${page.content.map((note) => html`<li key=${note.id}>
      <p class="pre small">${note.text}</p><p class="row tiny soft"><span class="grow clip" title=${fullTime(note.createdTime)}>${note.authorName ?? ""} · ${shortTime(note.createdTime)}</span>
      ${mayDelete(note) && html`<${Button} kind="quiet small" icon="trash" label=${t("contacts.deleteNote")} onClick=${() => remove(note)} />`}</p></li>`)}</ul>
    <form class="stack tight" onSubmit=${write}><${TextArea} label=${t("contacts.newNote")} hideLabel value=${text} onValue=${setText} placeholder=${t("contacts.newNote")} maxlength="4000" rows="2" class="note-input" />
      ${text.trim() && html`<div><${Button} kind="small" type="submit" busy=${busy}>${t("inbox.addNote")}<//></div>`}</form>`}<//>`;
}
