// The timeline of a message. The compact view has one line per event; the full view has all that is known of each.
import { html } from "htm/preact";
import { known, t } from "#app/i18n.js";
import { inUnit, milliseconds } from "#app/numbers.js";
import { Link } from "#app/router.js";
import { hasRole } from "#app/session.js";
import { fullTime } from "#app/time.js";
import { Icon } from "#ui/icons.js";
import { State } from "../developers/status.js";

/** @typedef {Record<string, any>} Entry */

/** @type {Record<string, string>} */
const ICONS = { REQUEST: "code", PROVIDER_CALL: "send", RECEIPT: "check", DECISION: "plug", ROUTE: "flow", WEBHOOK: "webhook", WEBHOOK_ATTEMPT: "arrowRight" };
/** Facts of the full view, in their order. They have the names of the API. */
const FACTS = [
  "requestId", "batchId", "channel", "leg", "receiver", "providerId", "providerTime", "ambiguous", "errorCode", "plugin", "version", "sha256", "webhookId", "url",
];

/** Attempts stand below their webhook. @param {Entry[]} entries @returns {Array<{entry: Entry, attempts: Entry[]}>} */
function rows(entries) {
  const attempts = entries.filter((one) => one.kind === "WEBHOOK_ATTEMPT");
  const named = new Set(entries.filter((one) => one.kind === "WEBHOOK").map((one) => one.webhookId));
  return entries.filter((one) => one.kind !== "WEBHOOK_ATTEMPT" || !named.has(one.webhookId))
    .map((entry) => ({ entry, attempts: entry.kind === "WEBHOOK" ? attempts.filter((one) => one.webhookId === entry.webhookId) : [] }));
}

/** The time since the request. @param {string} from @param {string} to */
function offset(from, to) {
  const ms = Date.parse(to) - Date.parse(from);
  if (ms < 1000) return `+${milliseconds(ms)}`;
  if (ms < 60_000) return `+${inUnit(ms / 1000, "second", 1)}`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `+${inUnit(minutes, "minute")} ${inUnit((ms % 60_000) / 1000, "second")}` : `+${inUnit(Math.floor(minutes / 60), "hour")} ${inUnit(minutes % 60, "minute")}`;
}

/** @param {{entries: Entry[], full: boolean}} props */
export function Timeline({ entries, full }) {
  const begin = entries[0]?.time;
  return html`<ol class=${`timeline ${full ? "full" : ""}`}>${rows(entries).map(({ entry, attempts }, index) => html`
    <li key=${index} class=${tone(entry, attempts)}>
      <span class="timeline-mark"><${Icon} name=${tone(entry, attempts) === "bad" ? "alert" : ICONS[entry.kind]} size="small" /></span>
      <div class="timeline-body"><div class="row wrap"><span class="strong">${t(`messages.kind.${entry.kind}`)}</span>${mark(entry, attempts)}
          <span class="grow"></span><time class="tiny soft number" datetime=${entry.time} title=${fullTime(entry.time)}>${index ? offset(begin, entry.time) : fullTime(entry.time)}</time></div>
        <p class="small soft">${sentence(entry, attempts)}</p>
        ${entry.kind === "DECISION" && entry.reason && html`<p class="small">${t("messages.reason", { reason: entry.reason })}</p>`}
        ${entry.kind === "ROUTE" && html`<${Route} route=${entry.route} />`}
        ${entry.kind === "WEBHOOK" && hasRole("ADMIN", "DEVELOPER") && html`<${Link} class="small" to="/webhooks" search=${{ delivery: entry.webhookId }}>${t("messages.openWebhook")}<//>`}
        ${full && html`<${Facts} entry=${entry} />`}
        ${full && attempts.map((one, number) => html`<${Attempt} key=${number} attempt=${one} begin=${begin} />`)}
      </div></li>`)}</ol>`;
}

/** @param {Entry} entry @param {Entry[]} attempts */
function tone(entry, attempts) {
  const outcome = outcomeOf(entry, attempts);
  if (["FAILED", "REFUSED", "EXHAUSTED", "DROPPED"].includes(outcome)) return "bad";
  return ["RETRY", "UNANSWERED"].includes(outcome) ? "warn" : "";
}

/** A webhook whose last attempt failed waits for its repeat. @param {Entry} entry @param {Entry[]} attempts */
function outcomeOf(entry, attempts) {
  if (entry.kind === "RECEIPT") return entry.status;
  const last = attempts[attempts.length - 1];
  if (entry.outcome === "PENDING" && last) return "RETRY";
  return entry.outcome ?? "";
}

/** @param {Entry} entry @param {Entry[]} attempts */
function mark(entry, attempts) {
  const outcome = outcomeOf(entry, attempts);
  return outcome ? html`<${State} state=${outcome} />` : null;
}

/** @param {Entry} entry @param {Entry[]} attempts */
function sentence(entry, attempts) {
  const channel = known(`channels.${entry.channel}`) ?? "";
  switch (entry.kind) {
    case "REQUEST": return t("messages.line.request");
    case "PROVIDER_CALL": return [channel, entry.errorCodeString, entry.ambiguous && t("messages.line.ambiguous"), entry.parts && t("messages.line.parts", { count: entry.parts.length })].filter(Boolean).join(" · ");
    case "RECEIPT": return [channel, entry.errorCode, entry.errorCodeString].filter(Boolean).join(" · ");
    case "DECISION": return [entry.plugin, versionOf(entry), known(`messages.decision.${entry.outcome}`)].filter(Boolean).join(" · ");
    case "ROUTE": return (entry.route?.routers ?? []).map((/** @type {Entry} */ one) => [one.plugin, one.version && `v${one.version}`].filter(Boolean).join(" ")).join(", ");
    case "WEBHOOK": return [entry.status && t("messages.line.reports", { status: known(`states.${entry.status}`) ?? entry.status }), t("messages.line.attempts", { count: attempts.length }), lastAnswer(attempts)].filter(Boolean).join(" · ");
    default: return [entry.statusCode, entry.errorCodeString].filter(Boolean).join(" · ");
  }
}

/** @param {Entry} entry */
function versionOf(entry) {
  return entry.version ? t("messages.line.version", { version: entry.version }) : t("messages.line.builtIn");
}

/** @param {Entry[]} attempts */
function lastAnswer(attempts) {
  const last = attempts[attempts.length - 1];
  if (!last) return "";
  return last.statusCode ? `HTTP ${last.statusCode}` : last.errorCodeString;
}

/** @param {{entry: Entry}} props */
function Facts({ entry }) {
  const given = FACTS.filter((name) => entry[name] !== undefined && entry[name] !== null);
  return html`<dl class="facts timeline-facts">${given.map((name) => html`<dt key=${name}>${name}</dt><dd class="id">${String(entry[name])}</dd>`)}
    ${(entry.parts ?? []).map((/** @type {Entry} */ part) => html`<dt key=${part.part}>${t("messages.line.part", { part: part.part })}</dt><dd class="id">${part.providerId} ${part.status}</dd>`)}</dl>`;
}

/** @param {{route: Entry}} props */
function Route({ route }) {
  const given = ["bind", "source", "priority", "validitySeconds"].filter((name) => route?.[name] !== undefined && route[name] !== null);
  return html`<dl class="facts timeline-facts">${given.map((name) => html`<dt key=${name}>${name}</dt><dd>${String(route[name])}</dd>`)}
    ${route?.rewritten && html`<dt>${t("messages.line.text")}</dt><dd>${t("messages.line.rewritten")}</dd>`}
    ${(route?.routers ?? []).filter((/** @type {Entry} */ one) => one.reason).map((/** @type {Entry} */ one, /** @type {number} */ index) => html`<dt key=${index}>${one.plugin}</dt><dd>${one.reason}</dd>`)}</dl>`;
}

/** @param {{attempt: Entry, begin: string}} props */
function Attempt({ attempt, begin }) {
  const failed = !(attempt.statusCode >= 200 && attempt.statusCode < 300);
  return html`<p class=${`small attempt ${failed ? "danger-text" : ""}`}><span class="number">${t("messages.line.attempt", { number: attempt.attempt })}</span>
    <span>${attempt.statusCode ? `HTTP ${attempt.statusCode}` : ""} ${attempt.errorCodeString ?? ""}</span><span class="soft number">${milliseconds(attempt.durationMillis)} · ${offset(begin, attempt.time)}</span></p>`;
}
