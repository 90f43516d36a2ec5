// The attempts of a configuration, newest first. Each opens its delivery.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { milliseconds } from "#app/numbers.js";
import { go, query } from "#app/router.js";
import { Button, Checkbox, Select, Tag } from "#ui/controls.js";
import { PagedTable } from "../developers/paged.js";
import { Time } from "../developers/parts.js";
import { hooks, TYPES } from "./calls.js";
import { ResendDialog } from "./resend.js";

/** @typedef {import("./calls.js").Attempt} Attempt */

/** Whether the receiver took it. @param {Attempt} one */
export function received(one) {
  return one.statusCode !== undefined && one.statusCode >= 200 && one.statusCode < 300;
}

/** @param {{attempt: Attempt}} props */
export function Answer({ attempt }) {
  if (received(attempt)) return html`<${Tag} tone="success">${attempt.statusCode}<//>`;
  return html`<${Tag} tone="danger">${attempt.statusCode ?? t("webhooks.noAnswer")}<//>`;
}

/** @param {{config: import("./calls.js").Configuration}} props */
export function Deliveries({ config }) {
  const { type = "", failed = "" } = query.value;
  const [turn, setTurn] = useState(0);
  const [resending, setResending] = useState(false);
  const path = `/webhooks/${config.id}/deliveries`;
  const filter = (/** @type {Record<string, string>} */ change) => go(path, { search: { type, failed, ...change }, replace: true });
  const columns = [
    { key: "time", title: t("webhooks.time"), cell: (/** @type {Attempt} */ one) => html`<${Time} time=${one.time} />` },
    { key: "answer", title: t("webhooks.answer"), cell: (/** @type {Attempt} */ one) => html`<${Answer} attempt=${one} />` },
    { key: "type", title: t("webhooks.webhook"), cell: (/** @type {Attempt} */ one) => (one.webhookType ? t(`webhooks.types.${one.webhookType}`) : "") },
    { key: "attempt", title: t("webhooks.attempt"), end: true, cell: (/** @type {Attempt} */ one) => one.attempt },
    { key: "duration", title: t("webhooks.duration"), end: true, cell: (/** @type {Attempt} */ one) => milliseconds(one.durationMillis) },
    { key: "error", title: t("webhooks.said"), cell: (/** @type {Attempt} */ one) => html`<span class="soft clip said">${one.error ?? one.response ?? ""}</span>` },
    { key: "id", title: "webhook-id", cell: (/** @type {Attempt} */ one) => html`<span class="id soft">${one.deliveryId}</span>` },
  ];
  return html`<div class="filters">
      <${Select} label=${t("webhooks.webhook")} value=${type} onValue=${(/** @type {string} */ value) => filter({ type: value })} options=${[["", t("webhooks.all")], ...TYPES.map(([one]) => [one, t(`webhooks.types.${one}`)])]} />
      <div class="row wrap grow"><${Checkbox} label=${t("webhooks.failedOnly")} checked=${failed === "true"} onValue=${(/** @type {boolean} */ on) => filter({ failed: on ? "true" : "" })} /></div>
      <div class="row"><${Button} icon="refresh" label=${t("developers.reload")} onClick=${() => setTurn(turn + 1)} /><${Button} onClick=${() => setResending(true)}>${t("webhooks.resendSince")}<//></div></div>
    <${PagedTable} label=${t("webhooks.parts.deliveries")} path=${hooks.attempts(config.id)} query=${{ webhookType: type, failed: failed || undefined }} columns=${columns} turn=${turn}
      onOpen=${(/** @type {Attempt} */ one) => go(path, { search: { type, failed, delivery: one.deliveryId } })}
      empty=${{ icon: "webhook", title: t("webhooks.noAttempts"), text: t("webhooks.noAttemptsText") }} />
    ${resending && html`<${ResendDialog} config=${config} type=${type} onClose=${() => (setResending(false), setTurn(turn + 1))} />`}`;
}
