// Pages of Messenger and bots of Telegram, with their state at the provider.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { fullTime } from "#app/time.js";
import { Tag } from "#ui/controls.js";
import { PagedTable } from "../developers/paged.js";
import { Id, Time } from "../developers/parts.js";

/**
 * @typedef {{id: string, channel: string, address: string, name?: string, createdTime: string, disabledTime?: string, refusedToken?: {code: string, refusedTime: string},
 *   failedCall?: {reason: string, nextAttemptTime?: string}, quality?: {rating?: string, status?: string, readTime?: string}, tier?: {name: string, limit?: number, used?: number, reportedTime: string},
 *   openWindows?: number}} Inbox
 */

export const INBOXES = "/api/v1/inboxes";

/** Reasons for which the messages of an inbox wait or fail. Empty if none is known. @param {{inbox: Inbox}} props */
export function Faults({ inbox }) {
  const { disabledTime, refusedToken, failedCall } = inbox;
  return html`${disabledTime && html`<p class="row wrap"><${Tag} tone="warning">${t("places.disabled")}<//><span class="soft small">${t("places.disabledText", { time: fullTime(disabledTime) })}</span></p>`}
    ${refusedToken && html`<p class="row wrap"><${Tag} tone="danger">${t("places.refused", { code: refusedToken.code })}<//><span class="soft small">${t("places.refusedText", { time: fullTime(refusedToken.refusedTime) })}</span></p>`}
    ${failedCall && !refusedToken && html`<p class="row wrap"><${Tag} tone="warning">${t("places.waits")}<//><span class="soft small">${failedCall.reason}</span></p>`}`;
}

/** @param {Inbox} inbox */
function hasFault(inbox) {
  return Boolean(inbox.disabledTime || inbox.refusedToken || inbox.failedCall);
}

/** @param {{channel: "FACEBOOK" | "TELEGRAM"}} props */
export function Places({ channel }) {
  const isBot = channel === "TELEGRAM";
  const columns = [
    { key: "address", title: t(isBot ? "places.bot" : "places.page"), cell: (/** @type {Inbox} */ one) => html`<span class="stack tight">${one.name && html`<span>@${one.name}</span>`}<${Id} id=${one.address} /></span>` },
    { key: "state", title: t("places.state"), cell: (/** @type {Inbox} */ one) => (hasFault(one) ? html`<${Faults} inbox=${one} />` : html`<${Tag} tone="success">${t("places.enabled")}<//>`) },
    { key: "created", title: t("places.connected"), cell: (/** @type {Inbox} */ one) => html`<${Time} time=${one.createdTime} />` },
  ];
  return html`<div class="filters"><p class="row grow small soft">${t(isBot ? "places.botsText" : "places.pagesText")}</p></div>
    <${PagedTable} label=${t(isBot ? "numbers.parts.telegram" : "numbers.parts.messenger")} path=${INBOXES} query=${{ channel }} columns=${columns}
      empty=${{ icon: isBot ? "bot" : "chat", title: t(isBot ? "places.noBots" : "places.noPages"), text: t(isBot ? "places.noBotsText" : "places.noPagesText") }} />`;
}
