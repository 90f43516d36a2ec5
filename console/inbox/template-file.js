// The file of a template: an address, or a file that is uploaded here. WhatsApp gets it from the server.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button, TextField } from "#ui/controls.js";
import { AttachmentList, Attachments } from "./attachments.js";

/** @type {Record<string, string>} */
const TAKEN = { IMAGE: "image/jpeg,image/png", VIDEO: "video/mp4", DOCUMENT: "application/pdf,.docx,.xlsx" };

/**
 * `onValue` gets the address, and the name of an uploaded file; `null` until the file has an address.
 * @param {{label: string, format: string, value: string | null, autofocus?: boolean, onValue: (address: string | null, name: string) => void}} props
 */
export function TemplateFile({ label, format, value, autofocus = false, onValue }) {
  const [attachments] = useState(() => new Attachments());
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const had = useRef(false);
  const [file] = attachments.files.value;
  const clear = () => attachments.files.peek().forEach((one) => attachments.remove(one));
  const isOther = Boolean(file?.mediaType && file.mediaType !== format);
  const address = !file ? "" : isOther ? null : (file.mediaUrl ?? null);
  useEffect(() => onValue(address, file?.file.name ?? ""), [address]);
  useEffect(() => clear, []);
  // The button that removed the file is gone, so the field of the address gets the focus.
  useEffect(() => {
    if (had.current && !file) box.current?.querySelector("input")?.focus();
    had.current = Boolean(file);
  }, [!file]);
  const choose = () => {
    clear();
    attachments.add([...(input.current?.files ?? [])]);
    if (input.current) input.current.value = "";
  };
  return html`<div ref=${box} class="field" role=${file ? "group" : undefined} aria-label=${file ? label : undefined}>
    ${file ? html`<${AttachmentList} attachments=${attachments} />${isOther && html`<p class="fault" role="alert">${t("templates.otherKind", { format: format.toLowerCase() })}</p>`}`
      : html`<${TextField} label=${label} hint=${t("templates.fileHint")} value=${value ?? ""} onValue=${(/** @type {string} */ typed) => onValue(typed, "")} type="url" required autofocus=${autofocus} />`}
    <div><${Button} kind="small" icon="upload" label=${label} onClick=${() => input.current?.click()}>${t(file ? "templates.otherFile" : "templates.uploadFile")}<//></div>
    <input ref=${input} type="file" accept=${TAKEN[format]} hidden tabindex="-1" aria-hidden="true" onChange=${choose} /></div>`;
}
