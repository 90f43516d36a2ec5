// The form before a chat: its fields, in their order.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Button, Checkbox, Select, TextField } from "#ui/controls.js";

/** @typedef {{key: string, label: string, type: string, required?: boolean, options?: string[]}} FormEntry */

const TYPES = ["TEXT", "EMAIL", "PHONE", "CHOICE", "CONSENT"];
const MOST = 10;

/** @param {{form: {fields: FormEntry[]} | null, fault?: string, onForm: (form: {fields: FormEntry[]} | null) => void}} props */
export function FormFields({ form, fault, onForm }) {
  const fields = form?.fields ?? [];
  const set = (/** @type {FormEntry[]} */ next) => onForm(next.length ? { ...form, fields: next } : null);
  const change = (/** @type {number} */ at, /** @type {Partial<FormEntry>} */ part) => set(fields.map((one, index) => (index === at ? { ...one, ...part } : one)));
  const freeKey = () => {
    let number = fields.length + 1;
    // After a field in the middle was removed, the number is taken.
    while (fields.some((one) => one.key === `field${number}`)) number += 1;
    return `field${number}`;
  };
  const add = () => set([...fields, { key: fields.length ? freeKey() : "name", label: fields.length ? "" : t("administration.name"), type: "TEXT", required: true }]);
  return html`<section class="stack"><div class="section-head"><h2>${t("sites.form")}</h2><${Button} kind="small" icon="plus" disabled=${fields.length >= MOST} onClick=${add}>${t("sites.addField")}<//></div>
    <p class="soft small">${t("sites.formText")}</p>${fault && html`<p class="danger-text small">${fault}</p>`}
    ${fields.map((one, at) => html`<fieldset key=${at} class="card stack"><legend class="hidden-text">${t("sites.field", { number: at + 1 })}</legend><div class="two-columns">
      <${TextField} label=${t("sites.fieldLabel")} required value=${one.label} onValue=${(/** @type {string} */ label) => change(at, { label })} />
      <${TextField} label=${t("sites.fieldKey")} required value=${one.key} onValue=${(/** @type {string} */ key) => change(at, { key: key.trim() })} />
      <${Select} label=${t("sites.fieldType")} value=${one.type} options=${TYPES.map((type) => [type, t(`sites.types.${type}`)])} onValue=${(/** @type {string} */ type) => change(at, { type, options: type === "CHOICE" ? (one.options ?? []) : undefined })} />
      ${one.type === "CHOICE" && html`<${TextField} label=${t("sites.options")} hint=${t("sites.optionsHint")} required value=${(one.options ?? []).join(", ")} onChange=${(/** @type {any} */ event) => change(at, { options: event.currentTarget.value.split(",").map((/** @type {string} */ text) => text.trim()).filter(Boolean) })} />`}</div>
      <div class="row between"><${Checkbox} label=${t("sites.required")} checked=${Boolean(one.required)} onValue=${(/** @type {boolean} */ required) => change(at, { required })} />
        <${Button} kind="quiet small" icon="trash" label=${t("administration.removeNamed", { name: one.label || one.key })} onClick=${() => set(fields.filter((_, index) => index !== at))} /></div></fieldset>`)}</section>`;
}
