// Pieces that the pages of operators share: figures, ages, sizes, and tables in cards.
import { html } from "htm/preact";
import { language } from "#app/i18n.js";
import { Table } from "#ui/table.js";

const KIB = 1024;
const UNITS = /** @type {const} */ (["B", "KiB", "MiB", "GiB", "TiB"]);

/** @param {number} value @param {number} [digits] */
export function number(value, digits = 0) {
  return new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(value);
}

/** @param {number | null | undefined} bytes */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  let [value, unit] = [bytes, 0];
  while (value >= KIB && unit < UNITS.length - 1) [value, unit] = [value / KIB, unit + 1];
  return `${number(value, value < 10 && unit > 0 ? 1 : 0)} ${UNITS[unit]}`;
}

/** A time that has passed, in its largest unit. @param {number | null | undefined} seconds */
export function age(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const inUnit = (/** @type {number} */ value, /** @type {string} */ unit) =>
    new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 10 && unit !== "second" ? 1 : 0 }).format(value);
  if (seconds < 90) return inUnit(seconds, "second");
  if (seconds < 5400) return inUnit(seconds / 60, "minute");
  return seconds < 172_800 ? inUnit(seconds / 3600, "hour") : inUnit(seconds / 86_400, "day");
}

/** @param {number | null | undefined} micros */
export function milliseconds(micros) {
  if (micros === null || micros === undefined) return "–";
  return `${number(micros / 1000, micros < 10_000 ? 1 : 0)} ms`;
}

/** A part of a page: its heading, and a table or a sentence if the table is empty. @param {{title: string, columns: any[], rows: any[], rowKey: (row: any) => string, none?: any}} props */
export function Section({ title, columns, rows, rowKey, none }) {
  return html`<section class="stack"><h2>${title}</h2>
    ${rows.length ? html`<div class="table-inside"><${Table} label=${title} columns=${columns} rows=${rows} rowKey=${rowKey} /></div>` : typeof none === "string" ? html`<p class="small soft">${none}</p>` : none}</section>`;
}
