// Pieces that the pages of operators share: figures, ages, sizes, and tables in cards.
import { html } from "htm/preact";
import { inUnit, milliseconds as inMilliseconds, number } from "#app/numbers.js";
import { Table } from "#ui/table.js";

const KIB = 1024;
const UNITS = /** @type {const} */ (["B", "KiB", "MiB", "GiB", "TiB"]);

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
  if (seconds < 90) return inUnit(seconds, "second");
  const [value, unit] = seconds < 5400 ? [seconds / 60, "minute"] : seconds < 172_800 ? [seconds / 3600, "hour"] : [seconds / 86_400, "day"];
  return inUnit(value, unit, value < 10 ? 1 : 0);
}

/** @param {number | null | undefined} micros */
export function milliseconds(micros) {
  return micros === null || micros === undefined ? "–" : inMilliseconds(micros / 1000);
}

/** A part of a page: its heading, and a table or a sentence if the table is empty. @param {{title: string, columns: any[], rows: any[], rowKey: (row: any) => string, none?: any}} props */
export function Section({ title, columns, rows, rowKey, none }) {
  return html`<section class="stack"><h2>${title}</h2>
    ${rows.length ? html`<div class="table-inside"><${Table} label=${title} columns=${columns} rows=${rows} rowKey=${rowKey} /></div>` : typeof none === "string" ? html`<p class="small soft">${none}</p>` : none}</section>`;
}
