// Fields of the forms of flows that a schema does not describe well: texts in several languages, lists of words, ways to nodes, groups that
// are turned on and off.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { known, t } from "#app/i18n.js";
import { Select, Switch, TextArea, TextField } from "#ui/controls.js";
import { Properties } from "../plugins/schema-form.js";
import { blank, withField } from "../plugins/schema.js";
import { CaseField } from "./case-field.js";
import { targetOptions } from "./target.js";

/** @typedef {import("../plugins/schema-form.js").FieldProps} FieldProps */
/** @typedef {import("./model.js").Flow} Flow */

const LONG_TEXTS = new Set(["text", "retry"]);
const WAYS = new Set(["next", "otherwise", "failed", "onMessage", "start", "released"]);
const GROUPS = new Set(["accept", "media", "idle", "hours"]);

/** The views of fields of a flow. @param {Flow} flow @returns {(field: FieldProps) => any} */
export function ownFields(flow) {
  return (field) => {
    const parts = field.path.split("/");
    const name = /** @type {string} */ (parts.at(-1));
    const { schema } = field;
    if (Array.isArray(schema.type)) return html`<${Translations} field=${field} languages=${flow.languages ?? []} long=${LONG_TEXTS.has(name)} />`;
    if (schema.type === "string" && (WAYS.has(name) || parts.at(-2) === "statuses")) return html`<${TargetField} field=${field} flow=${flow} />`;
    if (name === "kind" && schema.enum) return html`<${KindField} field=${field} />`;
    if (parts.at(-2) === "cases") return html`<${CaseField} field=${field} flow=${flow} />`;
    if (schema.type === "array" && schema.items && !schema.items.properties && (schema.items.type === "string" || schema.items.$ref === "#/$defs/id")) return html`<${Words} field=${field} />`;
    if (GROUPS.has(name) && !field.required && schema.properties) return html`<${OptionalGroup} field=${field} />`;
    return undefined;
  };
}

/** A text, or one for each language. @param {{field: FieldProps, languages: string[], long: boolean}} props */
function Translations({ field, languages, long }) {
  const { label, value, onValue, faults, path, schema, required } = field;
  const fault = faults[path];
  const Input = long ? TextArea : TextField;
  if (!languages.length) {
    const text = typeof value === "string" ? value : Object.values(value ?? {})[0] ?? "";
    return html`<${Input} label=${label} hint=${schema.description} fault=${fault} value=${text} rows="3" onValue=${(/** @type {string} */ next) => onValue(next || undefined)} />`;
  }
  const texts = typeof value === "string" ? Object.fromEntries(languages.map((code) => [code, value])) : value ?? {};
  const others = Object.keys(texts).filter((code) => !languages.includes(code));
  const wrong = languages.find((code) => !texts[code]) ?? others[0] ?? languages[0];
  const put = (/** @type {string} */ code, /** @type {string} */ next) => {
    const all = withField(texts, code, next || undefined);
    onValue(Object.keys(all).length ? all : undefined);
  };
  return html`<fieldset class="schema-group flow-texts"><legend>${label}</legend>${schema.description && html`<p class="tiny soft">${schema.description}</p>`}
    ${[...languages, ...others].map((code) => html`<${Input} key=${code} label=${t("flows.inLanguage", { label, code })} lang=${code} rows="2" value=${texts[code] ?? ""} required=${required}
      fault=${code === wrong ? fault : undefined} onValue=${(/** @type {string} */ next) => put(code, next)} />`)}</fieldset>`;
}

/** The node to which a way leads. @param {{field: FieldProps, flow: Flow}} props */
function TargetField({ field, flow }) {
  const { label, value, onValue, faults, path, schema } = field;
  return html`<${Select} label=${label} hint=${schema.description} fault=${faults[path]} value=${value ?? ""} options=${targetOptions(flow, value)} onValue=${(/** @type {string} */ next) => onValue(next || undefined)} />`;
}

/** The kind of an answer or of a file. @param {{field: FieldProps}} props */
function KindField({ field }) {
  const { label, value, onValue, faults, path, schema } = field;
  return html`<${Select} label=${label} fault=${faults[path]} value=${value ?? ""} options=${schema.enum.map((/** @type {string} */ one) => [one, known(`flows.value_${one}`) ?? one])} onValue=${onValue} />`;
}

/** Words with commas between them. @param {{field: Pick<FieldProps, "label" | "value" | "onValue" | "faults" | "path" | "schema">}} props */
export function Words({ field }) {
  const { label, value, onValue, faults, path, schema } = field;
  const given = Array.isArray(value) ? value.join(", ") : "";
  const [text, setText] = useState(given);
  useEffect(() => setText((before) => (wordsIn(before).join(", ") === given ? before : given)), [given]);
  const change = (/** @type {string} */ next) => {
    setText(next);
    const words = wordsIn(next);
    onValue(words.length ? words : undefined);
  };
  const inner = Object.entries(faults).filter(([at]) => at === path || at.startsWith(`${path}/`)).map(([, message]) => message);
  return html`<${TextField} label=${label} hint=${[schema.description, schema.items.pattern ? "" : t("flows.commas")].filter(Boolean).join(" ")} fault=${inner.join("\n") || undefined} value=${text} onValue=${change} autocomplete="off" />`;
}

/** @param {string} text */
function wordsIn(text) {
  return text.split(",").map((word) => word.trim()).filter(Boolean);
}

/** A group that may be absent. @param {{field: FieldProps}} props */
function OptionalGroup({ field }) {
  const { schema, root, value, onValue, label, path, faults, own } = field;
  const on = value !== undefined;
  return html`<fieldset class="schema-group"><legend class="hidden-text">${label}</legend>
    <${Switch} label=${label} checked=${on} onValue=${(/** @type {boolean} */ next) => onValue(next ? { ...blank(schema, root), ...schema.begin } : undefined)} />
    ${schema.description && html`<p class="tiny soft">${schema.description}</p>`}${faults[path] && html`<p class="fault tiny danger-text">${faults[path]}</p>`}
    ${on && html`<${Properties} schema=${schema} root=${root} value=${value} onValue=${onValue} path=${path} faults=${faults} own=${own} />`}</fieldset>`;
}
