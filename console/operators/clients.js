// Clients with their waiting work and their messages.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { Tag } from "#ui/controls.js";
import { Empty } from "#ui/states.js";
import { Section, age } from "./parts.js";

/** @typedef {import("./types.js").ClientLoad} ClientLoad */

/** @param {{status: import("./types.js").Status}} props */
export function Clients({ status }) {
  const most = Math.max(1, ...status.clients.map((one) => one.messages));
  const none = html`<div class="card"><${Empty} icon="users" title=${t("operators.noClients")} /></div>`;
  return html`<${Section} title=${t("operators.part.clients")} rows=${status.clients} rowKey=${(/** @type {ClientLoad} */ one) => one.clientRef} none=${none} columns=${[
    { key: "client", title: t("operators.client"), cell: (/** @type {ClientLoad} */ one) => html`<span class="row"><strong>${one.clientRef}</strong>${one.disabled && html`<${Tag} tone="warning">${t("operators.disabled")}<//>`}</span>` },
    { key: "waiting", title: t("operators.waiting"), end: true, cell: (/** @type {ClientLoad} */ one) => number(one.waiting) },
    { key: "due", title: t("operators.due"), end: true, cell: (/** @type {ClientLoad} */ one) => number(one.due) },
    { key: "age", title: t("operators.age"), end: true, cell: (/** @type {ClientLoad} */ one) => age(one.oldestDueSeconds) },
    { key: "messages", title: t("operators.messages"), cell: (/** @type {ClientLoad} */ one) => html`<span class="row operator-meter"><meter min="0" max=${most} value=${one.messages} aria-label=${`${t("operators.messages")} ${one.clientRef}`}></meter>
      <span class="number">${number(one.messages)}</span></span>` },
    { key: "failed", title: t("operators.failed"), end: true, cell: (/** @type {ClientLoad} */ one) => number(one.failedMessages) },
  ]} />`;
}
