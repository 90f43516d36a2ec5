// The health of activations: the circuit breaker, and the calls of the last hour.
import { html } from "htm/preact";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { fullTime, shortTime } from "#app/time.js";
import { Tag } from "#ui/controls.js";
import { addressOf, milliseconds } from "./facts.js";
import { Notice } from "./parts.js";

/** @typedef {import("./types.js").Health} Health */

const EVERY_MS = 5000;

/** The health of each activation of a plugin, by its id. It is loaded again and again. @param {string} name @returns {Map<string, Health>} */
export function useHealth(name) {
  const load = useLoad((signal) => api.get(addressOf(name, "/health"), undefined, { signal }), [name]);
  useRefresh(load, EVERY_MS);
  return new Map((load.data?.activations ?? []).map((/** @type {Health} */ one) => [one.activationId, one]));
}

/** @param {{health?: Health}} props */
export function Suspension({ health }) {
  const suspension = health?.suspension;
  if (!suspension) return null;
  return html`<${Notice} tone="danger" icon="pause"><strong>${t("plugins.suspended")}</strong> <span class="pre">${suspension.reason}</span>
    <p class="small"><time title=${fullTime(suspension.since)}>${t("plugins.since", { time: shortTime(suspension.since) })}</time>. ${t("plugins.suspendedUntil", { time: fullTime(suspension.until) })}</p><//>`;
}

/** The calls of the last hour, as parts of a list of facts. @param {{health?: Health}} props */
export function Figures({ health }) {
  if (!health) return null;
  const { calls, failures, meanMicros, p95Micros } = health;
  return html`<dt>${t("plugins.lastHour")}</dt><dd>${calls === 0 || meanMicros === null || p95Micros === null ? t("plugins.noCalls")
    : html`${failures ? html`<${Tag} tone="warning" icon="alert">${t("plugins.failedOf", { failures, calls })}<//>` : html`<${Tag} tone="success" icon="check">${t("plugins.callsInHour", { count: calls })}<//>`}
      <span class="number"> ${t("plugins.latency", { mean: milliseconds(meanMicros), p95: milliseconds(p95Micros) })}</span>`}</dd>`;
}
