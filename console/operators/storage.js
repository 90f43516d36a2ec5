// Disks of the processes, the database and its partitions.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { fullTime, shortTime } from "#app/time.js";
import { Tile } from "#ui/tile.js";
import { Section, size } from "./parts.js";

/** @typedef {import("./types.js").Disk & {process: string}} DiskOfProcess */
/** @typedef {import("./types.js").TableLoad} TableLoad */

/** @param {{status: import("./types.js").Status}} props */
export function Storage({ status }) {
  const running = status.processes.filter((process) => process.state === "RUNNING");
  const disks = running.flatMap((process) => (process.disks ?? []).map((disk) => ({ ...disk, process: `${process.host ?? ""} ${process.pid ?? ""}` })));
  const time = (/** @type {string | null} */ at) => (at ? html`<time title=${fullTime(at)}>${shortTime(at)}</time>` : "–");
  return html`<dl class="tiles"><${Tile} title=${t("operators.database")} value=${size(status.storage.databaseBytes)} /></dl>
    <${Section} title=${t("operators.disks")} rows=${disks} rowKey=${(/** @type {DiskOfProcess} */ one) => `${one.process} ${one.place}`} none=${t("common.none")} columns=${[
      { key: "disk", title: t("operators.disk"), cell: (/** @type {DiskOfProcess} */ one) => html`<code>${one.place}</code>` },
      { key: "process", title: t("operators.process"), cell: (/** @type {DiskOfProcess} */ one) => html`<span class="soft">${one.process}</span>` },
      { key: "free", title: t("operators.free"), cell: (/** @type {DiskOfProcess} */ one) => html`<span class="row operator-meter"><meter min="0" low=${one.sizeBytes / 10} optimum=${one.sizeBytes} max=${one.sizeBytes} value=${one.freeBytes}
        aria-label=${`${t("operators.free")} ${one.place}`}></meter><span class="number">${t("operators.freeOf", { free: size(one.freeBytes), size: size(one.sizeBytes) })}</span></span>` },
    ]} />
    <${Section} title=${t("operators.tables")} rows=${status.storage.tables} rowKey=${(/** @type {TableLoad} */ one) => one.table} none=${t("common.none")} columns=${[
      { key: "table", title: t("operators.table"), cell: (/** @type {TableLoad} */ one) => html`<code>${one.table}</code>` },
      { key: "size", title: t("operators.size"), end: true, cell: (/** @type {TableLoad} */ one) => size(one.bytes) },
      { key: "partitions", title: t("operators.partitions"), end: true, cell: (/** @type {TableLoad} */ one) => number(one.partitions) },
      { key: "first", title: t("operators.first"), cell: (/** @type {TableLoad} */ one) => time(one.firstTime) },
      { key: "end", title: t("operators.end"), cell: (/** @type {TableLoad} */ one) => time(one.endTime) },
    ]} />`;
}
