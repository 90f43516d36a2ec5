// The attributes of a contact, for the page of contacts and the panel of the customer. Each field is stored when it is left.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Select, TextField } from "#ui/controls.js";
import { Loaded } from "#ui/states.js";
import { reportFault } from "#ui/toast.js";
import { CONTACTS } from "./facts.js";

export const DEFINITIONS = "/messaging-service/WhatsApp/contact-attributes";

/** @typedef {{name: string, label: string, type: "TEXT" | "NUMBER" | "BOOLEAN" | "DATE" | "CHOICE", choices: string[]}} AttributeDefinition */
/** A value of null is hidden from this viewer. @typedef {string | number | boolean | null} AttributeValue */

/** The attributes of a contact, if the client defined some. @param {{contact: string}} props */
export function ContactAttributes({ contact }) {
  const load = useLoad(async (signal) => {
    const [known, own] = await Promise.all([api.get(DEFINITIONS, undefined, { signal }), api.get(`${CONTACTS}/${contact}/attributes`, undefined, { signal })]);
    return { known: known.attributes, values: own.attributes };
  }, [contact]);
  return html`<${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {{known: AttributeDefinition[], values: Record<string, AttributeValue>}} */ { known, values }) => known.length
    ? html`<section class="stack tight contact-attributes"><h3>${t("contacts.attributes")}</h3>
        ${known.map((definition) => html`<${AttributeField} key=${definition.name} contact=${contact} definition=${definition} value=${values[definition.name]} onSaved=${(/** @type {Record<string, AttributeValue>} */ stored) => load.replace({ known, values: stored })} />`)}</section>`
    : null}<//>`;
}

/** @param {{contact: string, definition: AttributeDefinition, value: AttributeValue | undefined, onSaved: (values: Record<string, AttributeValue>) => void}} props */
function AttributeField({ contact, definition, value, onSaved }) {
  const stored = value === undefined || value === null ? "" : String(value);
  const [draft, setDraft] = useState(/** @type {string | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const save = async (/** @type {string} */ text) => {
    if (text === stored) return;
    setError(null);
    try {
      const answer = await api.put(`${CONTACTS}/${contact}/attributes`, { attributes: { [definition.name]: parsed(definition, text) } });
      setDraft(null);
      onSaved(answer.attributes);
    } catch (fault) {
      if (!faultsByField(fault)[`attributes.${definition.name}`]) reportFault(fault);
      setError(fault);
    }
  };
  const choose = (/** @type {string} */ text) => {
    setDraft(text);
    void save(text);
  };
  const shown = draft ?? stored;
  const common = { label: definition.label, value: shown, fault: faultsByField(error)[`attributes.${definition.name}`] };
  if (definition.type === "BOOLEAN") {
    return html`<${Select} ...${common} onValue=${choose} options=${[["", t("contacts.noValue")], ["true", t("developers.yes")], ["false", t("developers.no")]]} />`;
  }
  if (definition.type === "CHOICE") {
    // The contact may have a choice that is no longer offered.
    const choices = shown && !definition.choices.includes(shown) ? [shown, ...definition.choices] : definition.choices;
    return html`<${Select} ...${common} onValue=${choose} options=${[["", t("contacts.noValue")], ...choices.map((choice) => [choice, choice])]} />`;
  }
  const kinds = { TEXT: { maxlength: "1000" }, NUMBER: { type: "number", step: "any" }, DATE: { type: "date" } };
  return html`<${TextField} ...${common} ...${kinds[definition.type]} placeholder=${value === null ? t("contacts.hiddenValue") : ""} onValue=${setDraft}
    onChange=${(/** @type {any} */ event) => save(event.currentTarget.value.trim())} />`;
}

/** The value of a field for the API; null removes it. @param {AttributeDefinition} definition @param {string} text */
function parsed({ type }, text) {
  if (!text) return null;
  if (type === "NUMBER") return Number(text);
  return type === "BOOLEAN" ? text === "true" : text;
}
