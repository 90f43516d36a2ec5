// A case of a condition: opening hours, the channel, or a comparison of an attribute.
import { html } from "htm/preact";
import { useId } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Select, TextField } from "#ui/controls.js";
import { attributesOf } from "./model.js";
import { targetOptions } from "./target.js";

const CHANNELS = ["whatsapp", "sms", "web", "messenger", "telegram"];
const FACTS = ["name", "phone", "channel", "date", "time"];
const COMPARISONS = ["exists", "absent", "equals", "contains", "above", "below"];

/** The subject of a case and its comparison. @param {any} value */
function partsOf(value) {
  if (value?.open !== undefined) return { subject: value.open ? "open" : "closed", comparison: "" };
  if (value?.channel !== undefined) return { subject: "channel", comparison: "" };
  if (value?.exists === false) return { subject: "attribute", comparison: "absent" };
  return { subject: "attribute", comparison: COMPARISONS.find((one) => value?.[one] !== undefined) ?? "exists" };
}

/** The comparison as a field of the case. @param {string} comparison @param {string} text */
function comparisonFields(comparison, text) {
  if (comparison === "exists" || comparison === "absent") return { exists: comparison === "exists" };
  if (comparison === "above" || comparison === "below") return { [comparison]: Number(text) || 0 };
  return { [comparison]: text };
}

/** @param {{field: import("../plugins/schema-form.js").FieldProps, flow: import("./model.js").Flow}} props */
export function CaseField({ field, flow }) {
  const { label, value, onValue, faults, path } = field;
  const names = useId();
  const { subject, comparison } = partsOf(value);
  const way = value?.next === undefined ? {} : { next: value.next };
  const text = String(value?.[comparison] ?? "");
  const choose = (/** @type {string} */ next) => {
    if (next === "open" || next === "closed") onValue({ open: next === "open", ...way });
    else if (next === "channel") onValue({ channel: "whatsapp", ...way });
    else onValue({ attribute: "name", exists: true, ...way });
  };
  const compare = (/** @type {string} */ next, /** @type {string} */ with_) => onValue({ attribute: value?.attribute ?? "", ...comparisonFields(next, with_), ...way });
  return html`<fieldset class="schema-group flow-case"><legend>${label}</legend>${faults[path] && html`<p class="fault tiny danger-text">${faults[path]}</p>`}
    <${Select} label=${t("flows.subject")} value=${subject} options=${["attribute", "channel", "open", "closed"].map((one) => [one, t(`flows.subject_${one}`)])} onValue=${choose} />
    ${subject === "channel" && html`<${Select} label=${t("flows.subject_channel")} value=${value.channel} options=${CHANNELS.map((one) => [one, one])} onValue=${(/** @type {string} */ next) => onValue({ channel: next, ...way })} />`}
    ${subject === "attribute" && html`<${TextField} label=${t("flows.field_attribute")} value=${value?.attribute ?? ""} list=${names} autocomplete="off" spellcheck=${false}
        onValue=${(/** @type {string} */ next) => onValue({ ...value, attribute: next })} />
      <datalist id=${names}>${[...attributesOf(flow), ...FACTS].map((one) => html`<option key=${one} value=${one}></option>`)}</datalist>
      <${Select} label=${t("flows.comparison")} value=${comparison} options=${COMPARISONS.map((one) => [one, t(`flows.compare_${one}`)])} onValue=${(/** @type {string} */ next) => compare(next, text)} />
      ${comparison !== "exists" && comparison !== "absent" && html`<${TextField} label=${t("flows.comparedWith")} value=${text} type=${comparison === "above" || comparison === "below" ? "number" : "text"} step="any" onValue=${(/** @type {string} */ next) => compare(comparison, next)} />`}`}
    <${Select} label=${t("flows.field_next")} fault=${faults[`${path}/next`]} value=${value?.next ?? ""} options=${targetOptions(flow, value?.next)}
      onValue=${(/** @type {string} */ next) => { const { next: _, ...rest } = value ?? {}; onValue(next ? { ...rest, next } : rest); }} /></fieldset>`;
}
