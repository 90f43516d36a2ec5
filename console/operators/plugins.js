// Suspended plugins, and the slowest of the last hour.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { fullTime, shortTime } from "#app/time.js";
import { Tag } from "#ui/controls.js";
import { Empty } from "#ui/states.js";
import { Section, milliseconds } from "./parts.js";

/** @typedef {import("./types.js").PluginLoad} PluginLoad */

/** @type {Record<string, string>} */
const TONES = { SUSPENDED: "danger", SLOW: "warning", WORKING: "success" };

/** @param {{status: import("./types.js").Status}} props */
export function Plugins({ status }) {
  const none = html`<div class="card"><${Empty} icon="plug" title=${t("operators.noPlugins")} /></div>`;
  const time = (/** @type {string | null} */ at) => (at ? html`<time title=${fullTime(at)}>${shortTime(at)}</time>` : "–");
  return html`<${Section} title=${t("operators.part.plugins")} rows=${status.plugins} rowKey=${(/** @type {PluginLoad} */ one) => `${one.clientRef} ${one.plugin}`} none=${none} columns=${[
    { key: "plugin", title: t("operators.plugin"), cell: (/** @type {PluginLoad} */ one) => html`<strong>${one.plugin}</strong>` },
    { key: "client", title: t("operators.client"), cell: (/** @type {PluginLoad} */ one) => one.clientRef },
    { key: "state", title: t("operators.conditionTitle"), cell: (/** @type {PluginLoad} */ one) => html`<${Tag} tone=${TONES[one.condition]}>${t(`operators.condition.${one.condition}`)}<//>` },
    { key: "in", title: t("operators.suspendedIn"), end: true, cell: (/** @type {PluginLoad} */ one) => number(one.suspendedIn) },
    { key: "calls", title: t("operators.calls"), end: true, cell: (/** @type {PluginLoad} */ one) => number(one.calls) },
    { key: "failed", title: t("operators.failed"), end: true, cell: (/** @type {PluginLoad} */ one) => number(one.failures) },
    { key: "mean", title: t("operators.mean"), end: true, cell: (/** @type {PluginLoad} */ one) => milliseconds(one.meanMicros) },
    { key: "p95", title: t("operators.p95"), end: true, cell: (/** @type {PluginLoad} */ one) => milliseconds(one.p95Micros) },
    { key: "since", title: t("operators.since"), cell: (/** @type {PluginLoad} */ one) => time(one.since) },
    { key: "until", title: t("operators.until"), cell: (/** @type {PluginLoad} */ one) => time(one.until) },
    { key: "reason", title: t("operators.reason"), cell: (/** @type {PluginLoad} */ one) => html`<span class="operator-reason">${one.reason ?? "–"}</span>` },
  ]} />`;
}
