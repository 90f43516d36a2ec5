// The rate card: the cost of a message by country and category.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { describe, faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Button } from "#ui/controls.js";
import { Empty, Fault, Loaded } from "#ui/states.js";
import { report } from "#ui/toast.js";

/** @typedef {{country: string, category: string, amount: string, currency: string}} Rate */

const CARD = "/messaging-service/WhatsApp/rate-card";
const CATEGORIES = ["MARKETING", "UTILITY", "AUTHENTICATION", "SERVICE", "SMS", "INCOMING"];

export function Rates() {
  const load = useLoad((signal) => api.get(CARD, undefined, { signal }), []);
  return html`<div class="section-body"><p class="soft small">${t("administration.ratesText")}</p>
    <${Loaded} load=${load}>${(/** @type {{rates: Rate[]}} */ card) => html`<${RateTable} rates=${card.rates} onSaved=${load.replace} />`}<//></div>`;
}

/** @param {{rates: Rate[], onSaved: (card: any) => void}} props */
function RateTable({ rates, onSaved }) {
  const [rows, setRows] = useState(rates);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  useEffect(() => setRows(rates), [rates]);
  // The row that was added last takes the next keys.
  const [added, setAdded] = useState(0);
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (added) /** @type {HTMLElement | null | undefined} */ (body.current?.querySelector("tr:last-child input"))?.focus();
  }, [added]);
  const add = () => {
    setRows([...rows, { country: "*", category: "UTILITY", amount: "", currency: rows[rows.length - 1]?.currency ?? "USD" }]);
    setAdded(added + 1);
  };
  const faults = faultsByField(error);
  const changed = JSON.stringify(rows) !== JSON.stringify(rates);
  const set = (/** @type {number} */ at, /** @type {Partial<Rate>} */ change) => setRows(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      onSaved(await api.put(CARD, { rates: rows }));
      report(t("administration.ratesSaved"));
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  };
  const field = (/** @type {number} */ at, /** @type {"country" | "amount" | "currency"} */ name, /** @type {string} */ placeholder) => html`<td><input class="input" required aria-label=${t("administration.rateCell", { name: t(`administration.rate.${name}`), row: at + 1 })}
    aria-invalid=${faults[`rates[${at}].${name}`] ? "true" : undefined} value=${rows[at][name]} placeholder=${placeholder} onInput=${(/** @type {any} */ event) => set(at, { [name]: event.currentTarget.value.trim() })} /></td>`;
  return html`<form class="stack" onSubmit=${save}>${error && html`<${Fault} error=${error} />`}
    ${rows.length === 0 ? html`<${Empty} icon="list" title=${t("administration.noRates")} />` : html`<div class="table-box" tabindex="0" role="region" aria-label=${t("administration.parts.rates")}><table class="table rates"><thead><tr>
      ${["country", "category", "amount", "currency"].map((name) => html`<th key=${name} scope="col">${t(`administration.rate.${name}`)}</th>`)}<th scope="col"><span class="hidden-text">${t("common.delete")}</span></th></tr></thead>
      <tbody ref=${body}>${rows.map((row, at) => html`<tr key=${at}>${field(at, "country", "27")}
        <td><select class="input" aria-label=${t("administration.rateCell", { name: t("administration.rate.category"), row: at + 1 })} onChange=${(/** @type {any} */ event) => set(at, { category: event.currentTarget.value })}>
          ${CATEGORIES.map((one) => html`<option key=${one} value=${one} selected=${one === row.category}>${t(`administration.categories.${one}`)}</option>`)}</select></td>
        ${field(at, "amount", "0.0379")}${field(at, "currency", "USD")}
        <td class="end"><${Button} kind="quiet small" icon="trash" label=${t("administration.removeRow", { row: at + 1 })} onClick=${() => setRows(rows.filter((_, index) => index !== at))} /></td></tr>`)}</tbody></table></div>`}
    <div class="row wrap"><${Button} icon="plus" onClick=${add}>${t("administration.addRate")}<//>
      <${Button} kind="primary" type="submit" busy=${busy} disabled=${!changed}>${t("common.save")}<//>
      ${changed && html`<span class="soft small">${t("administration.unsaved")}</span>`}${error && html`<span class="hidden-text">${describe(error).title}</span>`}</div></form>`;
}
