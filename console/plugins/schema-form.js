// A form made from the JSON Schema of a plugin. Parts that a form cannot show are edited as JSON.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button, Checkbox, Select, TextArea, TextField } from "#ui/controls.js";
import { blank, kindOf, resolve, withField, wordsOf } from "./schema.js";

/** @typedef {import("./schema.js").Schema} Schema */
/** @typedef {{schema: Schema, root: Schema, value: any, onValue: (value: any) => void, label: string, path: string, required?: boolean, faults: Record<string, string>}} FieldProps */

const LONG_TEXT = 200;

/**
 * @param {{schema: Schema, value: any, onValue: (value: any) => void, faults: Record<string, string>}} props `faults` has the faults of the server by path, such as `config.topics[0].id`.
 */
export function SchemaForm({ schema, value, onValue, faults }) {
  const whole = resolve(schema, schema);
  if (kindOf(whole) !== "group") return html`<${JsonField} label=${t("plugins.configuration")} value=${value} onValue=${onValue} fault=${faults.config} />`;
  return html`<div class="schema-form"><${Properties} schema=${whole} root=${schema} value=${value} onValue=${onValue} path="config" faults=${faults} /></div>`;
}

/** @param {Omit<FieldProps, "label">} props */
function Properties({ schema, root, value, onValue, path, faults }) {
  return Object.entries(schema.properties ?? {}).map(([name, part]) => html`<${SchemaField} key=${name} schema=${resolve(part, root)} root=${root} label=${resolve(part, root).title ?? wordsOf(name)}
    path=${`${path}.${name}`} value=${value?.[name]} required=${schema.required?.includes(name)} faults=${faults} onValue=${(/** @type {any} */ next) => onValue(withField(value, name, next))} />`);
}

/** @param {FieldProps} props */
function SchemaField({ schema, root, value, onValue, label, path, required = false, faults }) {
  const hint = schema.description;
  const fault = faults[path];
  const kind = kindOf(schema);
  if (kind === "group") {
    return html`<fieldset class="schema-group"><legend>${label}</legend>${hint && html`<p class="tiny soft">${hint}</p>`}
      <${Properties} schema=${schema} root=${root} value=${value} onValue=${onValue} path=${path} faults=${faults} /></fieldset>`;
  }
  if (kind === "list") return html`<${ListField} ...${{ schema, root, value, onValue, label, path, faults }} />`;
  if (kind === "json") return html`<${JsonField} label=${label} hint=${hint} value=${value} onValue=${onValue} fault=${fault} />`;
  if (kind === "switch") {
    return html`<div class="field"><${Checkbox} label=${label} checked=${value ?? schema.default ?? false} onValue=${onValue} />
      ${hint && html`<p class="hint">${hint}</p>`}${fault && html`<p class="fault">${fault}</p>`}</div>`;
  }
  if (kind === "choice") {
    const options = [...(required ? [] : [["", t("plugins.notSet")]]), ...schema.enum.map((/** @type {string} */ one) => [one, one])];
    return html`<${Select} label=${label} hint=${hint} fault=${fault} value=${value ?? ""} options=${options} onValue=${(/** @type {string} */ next) => onValue(next || undefined)} />`;
  }
  if (kind === "number") {
    return html`<${TextField} label=${label} hint=${hint} fault=${fault} type="number" min=${schema.minimum} max=${schema.maximum} step=${schema.type === "integer" ? 1 : "any"} value=${value ?? ""} required=${required}
      placeholder=${schema.default} onValue=${(/** @type {string} */ next) => onValue(next === "" ? undefined : Number(next))} />`;
  }
  const shared = { label, hint, fault, value: value ?? "", required, maxlength: schema.maxLength, placeholder: schema.default, onValue: (/** @type {string} */ next) => onValue(next === "" && !required ? undefined : next) };
  if (schema.writeOnly) return html`<${TextField} ...${shared} type="password" autocomplete="new-password" hint=${[hint, t("plugins.secretHint")].filter(Boolean).join(" ")} />`;
  return (schema.maxLength ?? 0) > LONG_TEXT ? html`<${TextArea} ...${shared} rows="2" />` : html`<${TextField} ...${shared} />`;
}

/** @param {FieldProps} props */
function ListField({ schema, root, value, onValue, label, path, faults }) {
  const part = resolve(schema.items, root);
  const entries = Array.isArray(value) ? value : [];
  const set = (/** @type {number} */ index, /** @type {any} */ next) => onValue(entries.map((one, at) => (at === index ? next ?? "" : one)));
  const full = schema.maxItems !== undefined && entries.length >= schema.maxItems;
  const simple = kindOf(part) !== "group";
  return html`<fieldset class="schema-group"><legend>${label}</legend>${schema.description && html`<p class="tiny soft">${schema.description}</p>`}
    ${faults[path] && html`<p class="fault tiny danger-text">${faults[path]}</p>`}
    ${entries.map((entry, index) => html`<div key=${index} class=${simple ? "row schema-entry" : "schema-entry card"}>
      <div class="grow"><${SchemaField} schema=${simple ? { ...part, description: undefined } : part} root=${root} label=${t("plugins.entry", { label, number: index + 1 })} path=${`${path}[${index}]`}
        value=${entry} required=${true} faults=${faults} onValue=${(/** @type {any} */ next) => set(index, next)} /></div>
      <${Button} kind="quiet small" icon="trash" label=${t("plugins.removeEntry", { label, number: index + 1 })} onClick=${() => onValue(entries.length === 1 ? undefined : entries.filter((_, at) => at !== index))} /></div>`)}
    <${Button} kind="small" icon="plus" disabled=${full} onClick=${() => onValue([...entries, blank(part, root)])}>${t("plugins.addEntry", { label })}<//></fieldset>`;
}

/** @param {{label: string, hint?: string, fault?: string, value: any, onValue: (value: any) => void}} props */
export function JsonField({ label, hint, fault, value, onValue }) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  const [wrong, setWrong] = useState("");
  const change = (/** @type {string} */ next) => {
    setText(next);
    try {
      onValue(next.trim() ? JSON.parse(next) : undefined);
      setWrong("");
    } catch (error) {
      setWrong(t("plugins.badJson", { message: /** @type {Error} */ (error).message }));
    }
  };
  return html`<${TextArea} label=${label} hint=${hint} fault=${wrong || fault} value=${text} onValue=${change} class="mono" rows="5" spellcheck=${false} />`;
}
