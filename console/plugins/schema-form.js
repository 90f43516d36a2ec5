// A form made from the JSON Schema of a plugin. Parts that a form cannot show are edited as JSON.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button, Checkbox, Select, TextArea, TextField } from "#ui/controls.js";
import { blank, kindOf, ordered, resolve, withField, wordsOf } from "./schema.js";
import { SecretField } from "./secret-field.js";

/** @typedef {import("./schema.js").Schema} Schema */
/**
 * `own` gives a field another view; without a result the field has the usual one.
 * @typedef {{schema: Schema, root: Schema, value: any, onValue: (value: any) => void, label: string, path: string, required?: boolean, faults: Record<string, string>, own?: (field: FieldProps) => any}} FieldProps
 */

const LONG_TEXT = 200;

/**
 * @param {{schema: Schema, value: any, onValue: (value: any) => void, faults: Record<string, string>, own?: FieldProps["own"]}} props `faults` has the faults of the server by path, such as `config/topics/0/id`.
 */
export function SchemaForm({ schema, value, onValue, faults, own }) {
  const whole = resolve(schema, schema);
  if (kindOf(whole) !== "group") return html`<${JsonField} label=${t("plugins.configuration")} value=${value} onValue=${onValue} fault=${faults.config} />`;
  return html`<div class="schema-form"><${Properties} schema=${whole} root=${schema} value=${value} onValue=${onValue} path="config" faults=${faults} own=${own} /></div>`;
}

/** The fields of an object. @param {Omit<FieldProps, "label">} props */
export function Properties({ schema, root, value, onValue, path, faults, own }) {
  const parts = schema.properties ?? {};
  return ordered(parts).map((name) => html`<${SchemaField} key=${name} schema=${resolve(parts[name], root)} root=${root} label=${resolve(parts[name], root).title ?? wordsOf(name)}
    path=${`${path}/${name}`} value=${value?.[name]} required=${schema.required?.includes(name)} faults=${faults} own=${own} onValue=${(/** @type {any} */ next) => onValue(withField(value, name, next))} />`);
}

/** @param {FieldProps} props */
function SchemaField(props) {
  const view = props.own?.(props);
  return view === undefined ? html`<${UsualField} ...${props} />` : view;
}

/** @param {FieldProps} props */
function UsualField({ schema, root, value, onValue, label, path, required = false, faults, own }) {
  const hint = schema.description;
  const fault = faults[path];
  const kind = kindOf(schema);
  if (kind === "group") {
    return html`<fieldset class="schema-group"><legend>${label}</legend>${hint && html`<p class="tiny soft">${hint}</p>`}
      <${Properties} schema=${schema} root=${root} value=${value} onValue=${onValue} path=${path} faults=${faults} own=${own} /></fieldset>`;
  }
  if (kind === "list") return html`<${ListField} ...${{ schema, root, value, onValue, label, path, faults, own }} />`;
  if (kind === "map") return html`<${MapField} ...${{ schema, root, value, onValue, label, path, faults, own }} />`;
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
  if (schema.writeOnly) return html`<${SecretField} ...${shared} value=${value} />`;
  return (schema.maxLength ?? 0) > LONG_TEXT ? html`<${TextArea} ...${shared} rows="2" />` : html`<${TextField} ...${shared} />`;
}

/** @param {FieldProps} props */
function ListField({ schema, root, value, onValue, label, path, faults, own }) {
  const part = resolve(schema.items, root);
  const entries = Array.isArray(value) ? value : [];
  const set = (/** @type {number} */ index, /** @type {any} */ next) => onValue(entries.map((one, at) => (at === index ? next ?? "" : one)));
  const full = schema.maxItems !== undefined && entries.length >= schema.maxItems;
  const simple = kindOf(part) !== "group";
  return html`<fieldset class="schema-group"><legend>${label}</legend>${schema.description && html`<p class="tiny soft">${schema.description}</p>`}
    ${faults[path] && html`<p class="fault tiny danger-text">${faults[path]}</p>`}
    ${entries.map((entry, index) => html`<div key=${index} class=${simple ? "row schema-entry" : "schema-entry card"}>
      <div class="grow"><${SchemaField} schema=${simple ? { ...part, description: undefined } : part} root=${root} label=${t("plugins.entry", { label, number: index + 1 })} path=${`${path}/${index}`}
        value=${entry} required=${true} faults=${faults} own=${own} onValue=${(/** @type {any} */ next) => set(index, next)} /></div>
      ${index > 0 && html`<${Button} kind="quiet small" icon="arrowUp" label=${t("plugins.moveUp", { label, number: index + 1 })} onClick=${() => onValue(entries.map((one, at) => (at === index ? entries[index - 1] : at === index - 1 ? entry : one)))} />`}
      <${Button} kind="quiet small" icon="trash" label=${t("plugins.removeEntry", { label, number: index + 1 })} onClick=${() => onValue(entries.length === 1 ? undefined : entries.filter((_, at) => at !== index))} /></div>`)}
    <${Button} kind="small" icon="plus" disabled=${full} onClick=${() => onValue([...entries, blank(part, root)])}>${t("plugins.addEntry", { label })}<//></fieldset>`;
}

/** Values by name. `begin` in the schema is the name of a new one. @param {FieldProps} props */
function MapField({ schema, root, value, onValue, label, path, faults, own }) {
  const part = resolve({ ...schema.additionalProperties, ...(schema.writeOnly ? { writeOnly: true } : {}) }, root);
  const entries = Object.entries(value ?? {});
  const put = (/** @type {Array<[string, any]>} */ next) => onValue(next.length ? Object.fromEntries(next) : undefined);
  const free = [...Array(entries.length + 1).keys()].map((at) => `${schema.begin ?? "name"}${at ? at + 1 : ""}`).find((name) => !(name in (value ?? {}))) ?? "";
  return html`<fieldset class="schema-group"><legend>${label}</legend>${schema.description && html`<p class="tiny soft">${schema.description}</p>`}
    ${faults[path] && html`<p class="fault tiny danger-text">${faults[path]}</p>`}
    ${entries.map(([name, entry], index) => html`<div key=${index} class="row schema-entry">
      <div class="grow schema-pair"><${NameField} label=${t("plugins.entryName", { label, number: index + 1 })} value=${name} taken=${(/** @type {string} */ next) => next !== name && next in value}
          onValue=${(/** @type {string} */ next) => put(entries.map(([own, one], at) => [at === index ? next : own, one]))} />
        <${SchemaField} schema=${{ ...part, description: undefined }} root=${root} label=${t("plugins.entryValue", { name })} path=${`${path}/${name}`} value=${entry} required=${true} faults=${faults} own=${own}
          onValue=${(/** @type {any} */ next) => put(entries.map(([own, one], at) => [own, at === index ? next ?? blank(part, root) : one]))} /></div>
      <${Button} kind="quiet small" icon="trash" label=${t("plugins.removeEntry", { label, number: index + 1 })} onClick=${() => put(entries.filter((_, at) => at !== index))} /></div>`)}
    <${Button} kind="small" icon="plus" onClick=${() => put([...entries, [free, blank(part, root)]])}>${t("plugins.addEntry", { label })}<//></fieldset>`;
}

/** A name, which is taken when the field is left. @param {{label: string, hint?: string, fault?: string, value: string, taken: (name: string) => boolean, onValue: (name: string) => void, pattern?: RegExp}} props */
export function NameField({ label, hint, fault, value, taken, onValue, pattern = /./ }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const right = pattern.test(text) && !taken(text);
  return html`<${TextField} label=${label} hint=${hint} fault=${text === value ? fault : taken(text) ? t("plugins.nameTaken") : right ? undefined : t("plugins.nameWrong")} value=${text} onValue=${setText} spellcheck=${false} autocomplete="off"
    onChange=${() => (right ? text !== value && onValue(text) : setText(value))} />`;
}

/** `onWrong` hears whether the text is no JSON. @param {{label: string, hint?: string, fault?: string, value: any, onValue: (value: any) => void, onWrong?: (wrong: boolean) => void}} props */
export function JsonField({ label, hint, fault, value, onValue, onWrong }) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  const [wrong, setWrong] = useState("");
  // A form is not sent with a text that is no JSON: the value before it would be sent in its place.
  const judge = (/** @type {HTMLTextAreaElement} */ field, /** @type {string} */ fault) => {
    field.setCustomValidity(fault);
    setWrong(fault);
    onWrong?.(Boolean(fault));
  };
  const change = (/** @type {HTMLTextAreaElement} */ field) => {
    setText(field.value);
    try {
      onValue(field.value.trim() ? JSON.parse(field.value) : undefined);
      judge(field, "");
    } catch (error) {
      judge(field, t("plugins.badJson", { message: /** @type {Error} */ (error).message }));
    }
  };
  return html`<${TextArea} label=${label} hint=${hint} fault=${wrong || fault} value=${text} onInput=${(/** @type {any} */ event) => change(event.currentTarget)} class="mono" rows="5" spellcheck=${false} />`;
}
