// The queues with their depth and age, and the lanes that wait, with the reason.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { fullTime, shortTime } from "#app/time.js";
import { Tag } from "#ui/controls.js";
import { Section, age } from "./parts.js";

/** @typedef {import("./types.js").Queue} Queue */
/** @typedef {import("./types.js").Lane & {queue: string}} QueuedLane */

/** @param {{status: import("./types.js").Status}} props */
export function Queues({ status }) {
  const lanes = status.queues.flatMap((queue) => queue.oldestLanes.map((lane) => ({ ...lane, queue: queue.name })));
  return html`<${Section} title=${t("operators.queues")} rows=${status.queues} rowKey=${(/** @type {Queue} */ one) => one.name} columns=${[
      { key: "queue", title: t("operators.queue"), cell: (/** @type {Queue} */ one) => html`<code>${one.name}</code>` },
      { key: "waiting", title: t("operators.waiting"), end: true, cell: (/** @type {Queue} */ one) => number(one.waiting) },
      { key: "due", title: t("operators.due"), end: true, cell: (/** @type {Queue} */ one) => number(one.due) },
      { key: "lanes", title: t("operators.lanes"), end: true, cell: (/** @type {Queue} */ one) => number(one.lanes) },
      { key: "age", title: t("operators.age"), end: true, cell: (/** @type {Queue} */ one) => age(one.oldestDueSeconds) },
    ]} />
    <${Section} title=${t("operators.lanesTitle")} rows=${lanes} rowKey=${(/** @type {QueuedLane} */ one) => `${one.queue} ${one.lane} ${one.clientRef}`} none=${t("operators.noLanes")} columns=${[
      { key: "queue", title: t("operators.queue"), cell: (/** @type {QueuedLane} */ one) => html`<code>${one.queue}</code>` },
      { key: "client", title: t("operators.client"), cell: (/** @type {QueuedLane} */ one) => one.clientRef },
      { key: "lane", title: t("operators.lane"), cell: (/** @type {QueuedLane} */ one) => html`<span class="number" title=${one.lane}>${one.address ?? one.lane.slice(0, 8)}</span>` },
      { key: "state", title: t("operators.conditionTitle"), cell: (/** @type {QueuedLane} */ one) => html`<${Tag} tone=${one.state === "WORKING" ? "success" : "warning"}>${t(`operators.work.${one.state}`)}<//>` },
      { key: "waiting", title: t("operators.waiting"), end: true, cell: (/** @type {QueuedLane} */ one) => number(one.waiting) },
      { key: "due", title: t("operators.due"), end: true, cell: (/** @type {QueuedLane} */ one) => number(one.due) },
      { key: "age", title: t("operators.age"), end: true, cell: (/** @type {QueuedLane} */ one) => age(one.oldestDueSeconds) },
      { key: "reason", title: t("operators.reason"), cell: (/** @type {QueuedLane} */ one) => html`<span class="operator-reason">${one.reason}</span>` },
      { key: "until", title: t("operators.until"), cell: (/** @type {QueuedLane} */ one) => (one.until ? html`<time title=${fullTime(one.until)}>${shortTime(one.until)}</time>` : "–") },
    ]} />`;
}
