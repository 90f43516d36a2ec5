// One delivery: the request as it is sent, each attempt with its answer, and a way to send it again.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { milliseconds } from "#app/numbers.js";
import { Link } from "#app/router.js";
import { hasRole } from "#app/session.js";
import { fullTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Loaded } from "#ui/states.js";
import { Code, Fact, Id, attempt } from "../developers/parts.js";
import { State } from "../developers/status.js";
import { findDelivery, hooks } from "./calls.js";
import { Answer, received } from "./deliveries.js";

/** @typedef {import("./calls.js").Delivery} Delivery */

const AGAIN_MS = 2000;

/** @param {{configs: string[], id: string, onClose: () => void}} props */
export function DeliveryDialog({ configs, id, onClose }) {
  const load = useLoad((signal) => findDelivery(configs, id, signal), [configs, id]);
  const signed = useLoad((signal) => hooks.signed(id, signal), [id]);
  const [busy, setBusy] = useState(false);
  useRefresh(load, load.data?.delivery.state === "PENDING" ? AGAIN_MS : 0);
  const resend = async () => {
    setBusy(true);
    if (await attempt(() => hooks.resend(load.data?.config ?? "", id), t("webhooks.sentAgain"))) load.reload();
    setBusy(false);
  };
  const gst = gstIdOf(load.data?.delivery.body);
  return html`<${Dialog} title=${t("webhooks.delivery")} wide onClose=${onClose} foot=${html`
    ${gst && hasRole("ADMIN", "DEVELOPER") && html`<${Link} class="button quiet" to=${`/messages/${encodeURIComponent(gst)}`}>${t("webhooks.toMessage")}<//>`}
    <${Button} onClick=${onClose}>${t("common.close")}<//><${Button} kind="primary" icon="refresh" busy=${busy} disabled=${!load.data} onClick=${resend}>${t("webhooks.sendAgain")}<//>`}>
    <${Loaded} load=${load}>${(/** @type {{delivery: Delivery}} */ { delivery }) => html`
      <dl class="facts"><${Fact} label="webhook-id"><${Id} id=${delivery.id} /><//>
        <${Fact} label=${t("webhooks.webhook")} value=${t(`webhooks.types.${delivery.webhookType}`)} />
        <${Fact} label=${t("webhooks.state")}><${State} state=${delivery.state} /><//>
        <${Fact} label=${t("webhooks.created")} value=${fullTime(delivery.createdTime)} />
        <${Fact} label=${t("webhooks.next")} value=${delivery.nextAttemptTime && fullTime(delivery.nextAttemptTime)} />
        <${Fact} label=${t("webhooks.number")} value=${delivery.whatsAppNumber && `+${delivery.whatsAppNumber}`} /></dl>
      <section class="stack" aria-live="polite"><h3>${t("webhooks.attempts", { count: delivery.attempts.length })}</h3>
        ${delivery.attempts.length === 0 && html`<p class="soft small">${t("webhooks.notTried")}</p>`}
        ${[...delivery.attempts].reverse().map((one) => html`<div key=${one.id} class="stack tight" data-received=${String(received(one))}><div class="row wrap"><span class="strong number">${t("messages.line.attempt", { number: one.attempt })}</span><${Answer} attempt=${one} />
          <span class="soft tiny number">${fullTime(one.time)} · ${milliseconds(one.durationMillis)}</span></div>
          ${one.error && html`<p class="small danger-text">${one.error}</p>`}${one.response && html`<${Code} title=${t("webhooks.answer")} text=${one.response} />`}</div>`)}</section>
      <section class="stack"><h3>${t("webhooks.request")}</h3>
        ${signed.data && html`<${Code} title=${t("webhooks.headers")} text=${Object.entries(signed.data.headers).map(([name, value]) => `${name}: ${value}`).join("\n")} />`}
        ${delivery.body ? html`<${Code} title=${t("webhooks.body")} text=${delivery.body} />` : html`<p class="soft small">${t("webhooks.noBody")}</p>`}</section>`}<//>
  <//>`;
}

/** The message that a body is about. @param {string | undefined} body @returns {string} */
function gstIdOf(body) {
  try {
    const read = JSON.parse(body ?? "{}");
    return read.gstId ?? read.data?.gstId ?? read.message?.gstId ?? "";
  } catch {
    return "";
  }
}
