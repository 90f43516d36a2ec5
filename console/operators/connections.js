// Connections to providers: SMS centres, sessions of WhatsApp Lite, refused tokens, calls and their failures.
import { html } from "htm/preact";
import { known, t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { fullTime, shortTime } from "#app/time.js";
import { Tag } from "#ui/controls.js";
import { Tile } from "#ui/tile.js";
import { Section } from "./parts.js";

/** @typedef {{process: string, bind: string, state: string, reason: string | null}} Bind */
/** @typedef {import("./types.js").RefusedToken} RefusedToken */
/** @typedef {import("./types.js").Failures} Failures */
/** @typedef {{provider: string, last: string | null, outcome: string, code: string | null, calls: number}} Outcome */

const LITE = /** @type {const} */ (["connected", "connecting", "disconnected"]);

/** The outcome of calls in words. The figures of processes have small letters. @param {string} outcome */
function outcomeText(outcome) {
  return known(`operators.outcomes.${outcome.toUpperCase()}`) ?? outcome;
}

/** @param {{at: string | null}} props */
function Time({ at }) {
  return at ? html`<time title=${fullTime(at)}>${shortTime(at)}</time>` : "–";
}

/** @param {{status: import("./types.js").Status}} props */
export function Connections({ status }) {
  const running = status.processes.filter((process) => process.state === "RUNNING");
  const binds = running.flatMap((process) => (process.smppBinds ?? []).map((bind) => ({ ...bind, process: `${process.host ?? ""} ${process.pid ?? ""}` })));
  const outcomes = status.providers.flatMap((one) => one.calls.map((calls) => ({ ...calls, provider: one.provider, last: one.lastSuccessTime })));
  return html`<${Section} title=${t("operators.smpp")} rows=${binds} rowKey=${(/** @type {Bind} */ one) => `${one.process} ${one.bind}`} none=${t("operators.noBinds")} columns=${[
      { key: "bind", title: t("operators.bind"), cell: (/** @type {Bind} */ one) => one.bind },
      { key: "state", title: t("operators.conditionTitle"), cell: (/** @type {Bind} */ one) => html`<${Tag} tone=${one.state === "BOUND" ? "success" : "danger"}>${known(`operators.bindState.${one.state}`) ?? one.state}<//>` },
      { key: "process", title: t("operators.process"), cell: (/** @type {Bind} */ one) => html`<span class="soft">${one.process}</span>` },
      { key: "reason", title: t("operators.reason"), cell: (/** @type {Bind} */ one) => html`<span class="operator-reason">${one.reason ?? "–"}</span>` },
    ]} />
    <section class="stack" aria-label=${t("operators.lite")}><h2>${t("operators.lite")}</h2><dl class="tiles">${LITE.map((state) => html`<${Tile} key=${state} title=${t(`operators.liteState.${state}`)}
      value=${number(status.liteSessions[state])} tone=${state === "disconnected" && status.liteSessions[state] ? "danger" : ""} />`)}</dl></section>
    <${Section} title=${t("operators.refused")} rows=${status.refusedTokens} rowKey=${(/** @type {RefusedToken} */ one) => `${one.inboxId} ${one.process}`} none=${t("operators.noRefused")} columns=${[
      { key: "client", title: t("operators.client"), cell: (/** @type {RefusedToken} */ one) => one.clientRef },
      { key: "inbox", title: t("operators.inbox"), cell: (/** @type {RefusedToken} */ one) => html`<span title=${one.inboxId}>${one.kind} <span class="number">${one.address ?? ""}</span></span>` },
      { key: "code", title: t("operators.code"), cell: (/** @type {RefusedToken} */ one) => html`<code>${one.code}</code>` },
      { key: "since", title: t("operators.since"), cell: (/** @type {RefusedToken} */ one) => html`<${Time} at=${one.refusedTime} />` },
      { key: "process", title: t("operators.process"), cell: (/** @type {RefusedToken} */ one) => html`<span class="soft" title=${one.process}>${one.process.slice(0, 8)}</span>` },
    ]} />
    <${Section} title=${t("operators.failures")} rows=${status.providerFailures} rowKey=${(/** @type {Failures} */ one) => `${one.channel} ${one.outcome} ${one.errorCode}`} none=${t("operators.noFailures")} columns=${[
      { key: "channel", title: t("operators.provider"), cell: (/** @type {Failures} */ one) => one.channel },
      { key: "outcome", title: t("operators.outcome"), cell: (/** @type {Failures} */ one) => outcomeText(one.outcome) },
      { key: "code", title: t("operators.code"), cell: (/** @type {Failures} */ one) => html`<code>${one.errorCode ?? "–"}</code>` },
      { key: "calls", title: t("operators.calls"), end: true, cell: (/** @type {Failures} */ one) => number(one.calls) },
      { key: "last", title: t("operators.lastCall"), cell: (/** @type {Failures} */ one) => html`<${Time} at=${one.lastTime} />` },
    ]} />
    <${Section} title=${t("operators.providers")} rows=${outcomes} rowKey=${(/** @type {Outcome} */ one) => `${one.provider} ${one.outcome} ${one.code}`} none=${t("operators.noFailures")} columns=${[
      { key: "provider", title: t("operators.provider"), cell: (/** @type {Outcome} */ one) => one.provider },
      { key: "outcome", title: t("operators.outcome"), cell: (/** @type {Outcome} */ one) => html`${outcomeText(one.outcome)} ${one.code && html`<code>${one.code}</code>`}` },
      { key: "calls", title: t("operators.calls"), end: true, cell: (/** @type {Outcome} */ one) => number(one.calls) },
      { key: "last", title: t("operators.lastSuccess"), cell: (/** @type {Outcome} */ one) => html`<${Time} at=${one.last} />` },
    ]} />`;
}
