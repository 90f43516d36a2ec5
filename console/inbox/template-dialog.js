// Sends a template to the customer of a chat: a list, a form for its values, and a preview.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { Button, SearchField, Tag, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Empty, Fault, Loaded } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { noteLast } from "./chats.js";
import { TemplateFile } from "./template-file.js";
import { TemplatePreview, valueLabel } from "./template-parts.js";
import { componentsOf, headerFile, isSendable, part, placeholders } from "./templates.js";
import { nameOf } from "./words.js";

/** @typedef {import("./types.js").Chat} Chat */
/** @typedef {import("./history.js").History} History */
/** @typedef {import("./templates.js").Template} Template */

/** @param {{chat: Chat, history: History, onClose: () => void}} props */
export function TemplateDialog({ chat, history, onClose }) {
  const [chosen, setChosen] = useState(/** @type {Template | null} */ (null));
  if (chosen) return html`<${FillDialog} chat=${chat} history=${history} template=${chosen} onClose=${onClose} onBack=${() => setChosen(null)} />`;
  return html`<${ChooseDialog} onClose=${onClose} onChoose=${setChosen} />`;
}

/** @param {{onClose: () => void, onChoose: (template: Template) => void}} props */
function ChooseDialog({ onClose, onChoose }) {
  const [text, setText] = useState("");
  const wanted = useSettled(text.trim());
  const load = useLoad((signal) => api.get("/messaging-service/WhatsApp/templates", { size: 100, searchString: wanted }, { signal }), [wanted]);
  return html`<${Dialog} title=${t("inbox.sendTemplate")} onClose=${onClose}>
    <${SearchField} label=${t("templates.search")} value=${text} onValue=${setText} autofocus />
    <${Loaded} load=${load}>${(/** @type {{content: Template[]}} */ page) => {
      const found = page.content.filter(isSendable);
      if (!found.length) return html`<${Empty} icon="template" title=${t("templates.none")} />`;
      return html`<ul class="template-list">${found.map((template) => html`<li key=${template.id}><button type="button" class="menu-item" onClick=${() => onChoose(template)}>
        <span class="grow stack tight"><span class="row"><span class="strong grow clip">${template.name}</span><${Tag}>${template.language}<//><${Tag} tone="info">${template.category.toLowerCase()}<//></span>
          <span class="soft small clip">${part(template, "BODY")?.text}</span></span></button></li>`)}</ul>`;
    }}<//>
  <//>`;
}

/** @param {{chat: Chat, history: History, template: Template, onClose: () => void, onBack: () => void}} props */
function FillDialog({ chat, history, template, onClose, onBack }) {
  // The address of a file is null until the file is uploaded.
  const [values, setValues] = useState(/** @type {Record<string, string | null>} */ ({}));
  const [file, setFile] = useState({ url: /** @type {string | null} */ (""), name: "" });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  // The same name for each attempt: a repetition sends nothing again.
  const [tempId] = useState(() => crypto.randomUUID());
  const asked = placeholders(template);
  const format = headerFile(template);
  const isWhole = [file.url, ...Object.values(values)].every((one) => one !== null);
  const setValue = (/** @type {string} */ key) => (/** @type {string | null} */ value) => setValues((before) => ({ ...before, [key]: value }));
  const submit = async () => {
    setBusy(true);
    try {
      const body = { templateId: template.id, templateName: template.name, components: componentsOf(template, values, file.url ?? "", file.name), tempId };
      const sent = await api.post(`/chat-service/api/v2/chats/${chat.id}/template`, body);
      history.put(sent);
      noteLast(sent);
      report(t("templates.sent", { template: template.name, name: nameOf(chat) }));
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${template.name} onClose=${onClose} onSubmit=${submit} foot=${html`
    <${Button} onClick=${onBack}>${t("templates.other")}<//><${Button} kind="primary" icon="send" type="submit" busy=${busy} disabled=${!isWhole}>${t("inbox.send")}<//>`}>
    ${error && html`<${Fault} error=${error} />`}
    ${format && html`<${TemplateFile} label=${t("templates.file", { format: format.toLowerCase() })} format=${format} value=${file.url} autofocus onValue=${(/** @type {string | null} */ url, /** @type {string} */ name) => setFile({ url, name })} />`}
    ${asked.map((one, index) => {
      const props = { label: valueLabel(one), value: values[one.key] ?? "", onValue: setValue(one.key), autofocus: index === 0 && !format };
      return one.part === "file" ? html`<${TemplateFile} key=${one.key} ...${props} format=${one.label.toUpperCase()} />`
        : html`<${TextField} key=${one.key} ...${props} placeholder=${one.example} required />`;
    })}
    <${TemplatePreview} template=${template} values=${values} />
  <//>`;
}
