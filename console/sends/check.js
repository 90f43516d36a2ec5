// The check before a send: how many rows are good, and the fault of each other one.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Button, Tag } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Table } from "#ui/table.js";
import { valueLabel } from "../inbox/template-parts.js";
import { written } from "./csv.js";

/** @typedef {import("./plan.js").PlannedRow} PlannedRow */
/** @typedef {import("./plan.js").RowFault} RowFault */

const SHOWN = 20;

/** A value that is missing has the label of its field, which names its card, the header or the button. @param {RowFault} fault */
function faultText(fault) {
  switch (fault.kind) {
    case "rejected": return fault.reason;
    case "value": return t("sends.fault.value", { label: valueLabel(fault.of, true) });
    default: return t(`sends.fault.${fault.kind}`);
  }
}

/** @param {{rows: PlannedRow[], shown: number, onShow: (index: number) => void, header: string[]}} props */
export function CheckStep({ rows, shown, onShow, header }) {
  const bad = rows.filter((one) => one.faults.length);
  const listed = (bad.length ? bad : rows).slice(0, SHOWN);
  const columns = [
    { key: "to", title: t("sends.number"), cell: (/** @type {PlannedRow} */ one) => html`<span class="number">${one.to || "–"}</span>` },
    { key: "line", title: t("sends.line"), end: true, cell: (/** @type {PlannedRow} */ one) => one.line },
    { key: "values", title: t("sends.values"), cell: (/** @type {PlannedRow} */ one) => html`<span class="soft">${Object.values(one.values).join(" · ")}</span>` },
    { key: "fault", title: t("sends.faults"), cell: (/** @type {PlannedRow} */ one) => (one.faults.length ? html`<span class="danger-text">${one.faults.map(faultText).join("; ")}</span>` : html`<${Tag} tone="success">${t("sends.good")}<//>`) },
  ];
  return html`<div class=${`banner rounded ${bad.length ? "warning" : ""}`} role="status"><${Icon} name=${bad.length ? "alert" : "check"} />
      <span class="grow">${t("sends.checked", { good: rows.length - bad.length, all: rows.length })}${bad.length ? ` ${t("sends.checkedBad", { count: bad.length })}` : ""}</span>
      ${bad.length > 0 && html`<${Button} kind="small" icon="download" onClick=${() => saveBad(bad, header)}>${t("sends.saveBad")}<//>`}</div>
    <${Table} label=${t("sends.rows")} columns=${columns} rows=${listed} rowKey=${(/** @type {PlannedRow} */ one) => String(one.line)} selected=${String(rows[shown]?.line ?? "")} onOpen=${(/** @type {PlannedRow} */ one) => onShow(rows.indexOf(one))} />
    ${(bad.length || rows.length) > SHOWN && html`<p class="soft small">${t("sends.moreRows", { count: (bad.length || rows.length) - SHOWN })}</p>`}`;
}

/** @param {PlannedRow[]} rows @param {string[]} header */
function saveBad(rows, header) {
  const table = rows.map((one) => [...one.cells, one.faults.map(faultText).join("; ")]);
  if (header.length) table.unshift([...header, t("sends.faults")]);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([written(table)], { type: "text/csv" }));
  link.download = "not-sent.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
