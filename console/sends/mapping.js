// The mapping of columns to the number, the client's id and the parameters of the template.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Select, TextField } from "#ui/controls.js";
import { valueLabel } from "../inbox/template-parts.js";
import { headerFile, placeholders } from "../inbox/templates.js";

/** @typedef {import("./plan.js").Mapping} Mapping */
/** @typedef {import("./plan.js").Source} Source */

const FIXED = "fixed";
const NONE = "none";

/** @param {{template: import("../inbox/templates.js").Template, names: string[], first: string[], mapping: Mapping, onMapping: (mapping: Mapping) => void}} props */
export function MappingStep({ template, names, first, mapping, onMapping }) {
  const columns = first.map((cell, index) => /** @type {[string, string]} */ ([String(index), `${names[index] || t("sends.column", { number: index + 1 })} (${cell.length > 24 ? `${cell.slice(0, 23)}…` : cell})`]));
  const format = headerFile(template);
  const setValue = (/** @type {string} */ key, /** @type {Source} */ source) => onMapping({ ...mapping, values: { ...mapping.values, [key]: source } });
  return html`<div class="two-columns">
    <${Select} label=${t("sends.number")} value=${columnOf(mapping.to)} options=${columns} onValue=${(/** @type {string} */ column) => onMapping({ ...mapping, to: { column: Number(column) } })} />
    <${Select} label="ctId" value=${mapping.ctId ? columnOf(mapping.ctId) : NONE} options=${[[NONE, t("sends.noId")], ...columns]} onValue=${(/** @type {string} */ column) => onMapping({ ...mapping, ctId: column === NONE ? null : { column: Number(column) } })} />
    ${placeholders(template).map((one) => {
      const source = mapping.values[one.key] ?? { text: "" };
      const label = valueLabel(one, true);
      return html`<div key=${one.key} class="stack tight"><${Select} label=${label} value=${columnOf(source)} options=${[...columns, [FIXED, t("sends.fixed")]]}
          onValue=${(/** @type {string} */ value) => setValue(one.key, value === FIXED ? { text: "" } : { column: Number(value) })} />
        ${"text" in source && html`<${TextField} label=${t("sends.fixedText", { name: label })} hideLabel placeholder=${one.example || t("sends.fixed")} value=${source.text} onValue=${(/** @type {string} */ text) => setValue(one.key, { text })} />`}</div>`;
    })}
    ${format && html`<${TextField} label=${t("templates.file", { format: format.toLowerCase() })} hint=${t("templates.fileHint")} type="url" value=${mapping.fileUrl} onValue=${(/** @type {string} */ fileUrl) => onMapping({ ...mapping, fileUrl })} />`}</div>`;
}

/** @param {Source} source */
function columnOf(source) {
  return "column" in source ? String(source.column) : FIXED;
}
