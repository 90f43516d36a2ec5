// Contacts from a CSV file: a preview with findings, then the import.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { Button, Field, Tag } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Fault } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { CONTACTS } from "./facts.js";

/**
 * @typedef {{committed: boolean, created: number, updated: number, unchanged: number, ignoredColumns: string[], faults: Array<{line: number, field: string, message: string}>,
 *   rows: Array<{line: number, fullName: string, phoneNumber: string, tags: string[], action: string}>}} ImportResult
 */

const SAMPLE = "fullName,phoneNumber,tags\nThandi Mokoena,+27820000001,vip;news\nSipho Dube,+27820000002,";
const SHOWN = 200;
/** @type {Record<string, string>} */
const TONES = { CREATE: "success", UPDATE: "info", UNCHANGED: "" };

/** @param {{onClose: () => void}} props */
export function ImportDialog({ onClose }) {
  const [csv, setCsv] = useState("");
  const [result, setResult] = useState(/** @type {ImportResult | null} */ (null));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const run = async (/** @type {string} */ text, /** @type {boolean} */ commit) => {
    setBusy(true);
    setError(null);
    try {
      const found = /** @type {ImportResult} */ (await api.post(`${CONTACTS}/import`, { csv: text, commit }));
      if (commit) {
        report(t("contacts.imported", { created: found.created, updated: found.updated }));
        onClose();
        return;
      }
      setResult(found);
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  };
  const choose = async (/** @type {any} */ event) => {
    const [file] = event.currentTarget.files;
    if (!file) return;
    const text = await file.text();
    setCsv(text);
    setResult(null);
    await run(text, false);
  };
  const changes = result ? result.created + result.updated : 0;
  return html`<${Dialog} title=${t("contacts.import")} wide=${true} onClose=${onClose} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//>
    <${Button} kind="primary" busy=${busy} disabled=${!changes} onClick=${() => run(csv, true)}>${t("contacts.importRows", { count: changes })}<//>`}>
    <${Field} label=${t("contacts.file")} hint=${t("contacts.fileHint")}>${(/** @type {object} */ joined) => html`<input class="input" type="file" accept=".csv,text/csv" disabled=${busy} onClick=${(/** @type {any} */ event) => (event.currentTarget.value = "")} onChange=${choose} ...${joined} />`}<//>
    ${error && html`<${Fault} error=${error} />`}
    ${!result && !error && html`<pre class="import-sample" tabindex="0" aria-label=${t("contacts.sample")}>${SAMPLE}</pre>`}
    ${result && html`<${Preview} result=${result} />`}
  <//>`;
}

/** @param {{result: ImportResult}} props */
function Preview({ result }) {
  const { rows, faults, ignoredColumns } = result;
  return html`<p class="row wrap"><${Tag} tone="success">${t("contacts.willCreate", { count: result.created })}<//><${Tag} tone="info">${t("contacts.willUpdate", { count: result.updated })}<//>
      <${Tag}>${t("contacts.unchanged", { count: result.unchanged })}<//>${faults.length > 0 && html`<${Tag} tone="danger">${t("contacts.faults", { count: faults.length })}<//>`}</p>
    ${ignoredColumns.length > 0 && html`<p class="small soft">${t("contacts.ignored", { names: ignoredColumns.join(", ") })}</p>`}
    ${faults.length > 0 && html`<div class="banner danger rounded"><${Icon} name="alert" /><ul class="stack tight">${faults.slice(0, SHOWN).map((fault) => html`<li key=${`${fault.line} ${fault.field}`}>${t("contacts.line", { line: fault.line })}: <code>${fault.field}</code> ${fault.message}</li>`)}</ul></div>`}
    ${rows.length > 0 && html`<div class="import-preview" tabindex="0" role="region" aria-label=${t("templates.preview")}><table class="table"><thead><tr><th scope="col">${t("contacts.name")}</th><th scope="col">${t("contacts.phone")}</th><th scope="col">${t("contacts.tags")}</th><th scope="col">${t("contacts.action")}</th></tr></thead>
      <tbody>${rows.slice(0, SHOWN).map((row) => html`<tr key=${row.line}><td>${row.fullName}</td><td class="number">+${row.phoneNumber}</td><td>${row.tags.join(", ")}</td><td><${Tag} tone=${TONES[row.action]}>${t(`contacts.actions.${row.action}`)}<//></td></tr>`)}</tbody></table></div>`}`;
}
