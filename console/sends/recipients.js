// Recipients: pasted, or from a CSV file that is chosen or dropped.
import { html } from "htm/preact";
import { useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button, TextArea } from "#ui/controls.js";
import { report } from "#ui/toast.js";
import { attempt } from "../developers/parts.js";

/** Larger files make the page slow. */
const MOST_BYTES = 20 * 1024 * 1024;
/** Longer texts are not shown in the field. */
const MOST_SHOWN = 200_000;

/** `name`: the file of the text, or empty. @param {{text: string, name: string, onText: (text: string, name: string) => void, rows: number}} props */
export function Recipients({ text, name, onText, rows }) {
  const [over, setOver] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const take = (/** @type {File | undefined} */ file) => attempt(async () => {
    if (!file) return;
    if (file.size > MOST_BYTES) return report(t("sends.tooLarge"), { icon: "alert" });
    onText(await file.text(), file.name);
  });
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer?.files[0]);
  };
  return html`<div class=${`stack tight drop ${over ? "over" : ""}`} onDragOver=${(/** @type {Event} */ event) => (event.preventDefault(), setOver(true))} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    ${text.length > MOST_SHOWN ? html`<p class="card small">${t("sends.fileRead", { name, count: rows })}</p>`
      : html`<${TextArea} label=${t("sends.paste")} hint=${t("sends.pasteHint")} rows="6" spellcheck=${false} class="mono" value=${text} onValue=${(/** @type {string} */ value) => onText(value, "")} />`}
    <div class="row wrap"><${Button} icon="upload" onClick=${() => input.current?.click()}>${t("sends.chooseFile")}<//>
      <input ref=${input} type="file" accept=".csv,.tsv,.txt,text/csv,text/plain" class="hidden-text" tabindex="-1" aria-label=${t("sends.chooseFile")} onChange=${(/** @type {any} */ event) => (take(event.currentTarget.files[0]), (event.currentTarget.value = ""))} />
      <span class="soft small">${name || t("sends.dropHint")}</span>
      ${text && html`<span class="grow"></span><${Button} kind="quiet small" icon="trash" onClick=${() => onText("", "")}>${t("sends.clear")}<//>`}</div></div>`;
}
