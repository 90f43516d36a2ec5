// The limits of the HTTP requests of a plugin, which an activation sets. An absent limit is that of the operator.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { TextField } from "#ui/controls.js";

/** @typedef {import("./types.js").HttpLimits} HttpLimits */

/** @type {Array<keyof HttpLimits>} */
const FIELDS = ["timeoutMs", "responseBytes", "requests"];

/** The limits that an activation sets itself. The API has null for the others. @param {HttpLimits | undefined} limits @returns {HttpLimits} */
export function ownLimits(limits) {
  return Object.fromEntries(FIELDS.flatMap((field) => (typeof limits?.[field] === "number" ? [[field, limits[field]]] : [])));
}

/** The limits in words. @param {HttpLimits} limits */
export function limitWords(limits) {
  const own = ownLimits(limits);
  const words = FIELDS.filter((field) => field in own).map((field) => t(`plugins.httpLimit_${field}`, { count: Number(own[field]), value: number(Number(own[field])) }));
  return words.join(", ") || t("plugins.httpLimitsOfOperator");
}

/** @param {{limits: HttpLimits, onValue: (limits: HttpLimits) => void, faults: Record<string, string>}} props */
export function HttpLimitFields({ limits, onValue, faults }) {
  const set = (/** @type {keyof HttpLimits} */ field, /** @type {string} */ text) => onValue(ownLimits({ ...limits, [field]: text === "" ? null : Number(text) }));
  return html`<fieldset class="schema-group"><legend>${t("plugins.httpLimits")}</legend><p class="tiny soft">${t("plugins.httpLimitsHint")}</p>
    ${faults.httpLimits && html`<p class="fault tiny danger-text">${faults.httpLimits}</p>`}
    <div class="form-grid">${FIELDS.map((field) => html`<${TextField} key=${field} label=${t(`plugins.httpField_${field}`)} type="number" min="1" step="1" value=${limits[field] ?? ""} onValue=${(/** @type {string} */ text) => set(field, text)} fault=${faults[`httpLimits.${field}`]} />`)}</div></fieldset>`;
}
