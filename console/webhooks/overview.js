// The health of each webhook of a configuration, and the secret that signs them.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { Link, go } from "#app/router.js";
import { fullTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Loaded } from "#ui/states.js";
import { Code, Fact, Secret, Time, attempt } from "../developers/parts.js";
import { State } from "../developers/status.js";
import { hooks, TYPES } from "./calls.js";
import { ConfigurationDialog } from "./configure.js";
import { ResendDialog } from "./resend.js";

/** @typedef {import("./calls.js").Configuration} Configuration */
/** @typedef {import("./calls.js").Health} Health */

const AGAIN_MS = 5000;

/** @param {{config: Configuration, onChange: () => void}} props */
export function Overview({ config, onChange }) {
  const load = useLoad((signal) => hooks.health(config.id, signal), [config]);
  const [editing, setEditing] = useState(false);
  const [resending, setResending] = useState("");
  useRefresh(load, AGAIN_MS);
  const saved = () => {
    setEditing(false);
    onChange();
  };
  const order = TYPES.map(([type]) => type);
  return html`<div class="section-body">
    <div class="section-head"><h2>${t("webhooks.addresses")}</h2><${Button} icon="edit" onClick=${() => setEditing(true)}>${t("webhooks.edit")}<//></div>
    <${Loaded} load=${load}>${(/** @type {Health[]} */ health) => html`<div class="grid hooks">${[...health].sort((one, other) => order.indexOf(one.webhookType) - order.indexOf(other.webhookType))
      .map((one) => html`<${HookCard} key=${one.webhookType} config=${config} health=${one} onResend=${() => setResending(one.webhookType)} onEdit=${() => setEditing(true)} />`)}</div>`}<//>
    <${Signing} config=${config} />
    <section class="card stack"><h2>${t("webhooks.facts")}</h2><dl class="facts">
      <${Fact} label=${t("webhooks.version")} value=${config.chatbotPayloadVersion} />
      <${Fact} label=${t("webhooks.includeOutgoing")} value=${t(config.chatbotIncludeOutgoing ? "developers.yes" : "developers.no")} />
      <${Fact} label=${t("webhooks.stopOnAgent")} value=${t(config.chatbotStopOnAgentAssignment ? "developers.yes" : "developers.no")} /></dl>
      <div><${Button} kind="danger" icon="trash" onClick=${() => remove(config, onChange)}>${t("webhooks.remove")}<//></div></section>
    ${editing && html`<${ConfigurationDialog} config=${config} onClose=${() => setEditing(false)} onSaved=${saved} />`}
    ${resending && html`<${ResendDialog} config=${config} type=${resending} onClose=${() => (setResending(""), load.reload())} />`}
  </div>`;
}

/** @param {{config: Configuration, health: Health, onResend: () => void, onEdit: () => void}} props */
function HookCard({ config, health, onResend, onEdit }) {
  const [pinged, setPinged] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const ping = async () => {
    setBusy(true);
    await attempt(async () => setPinged(await hooks.ping(config.id, health.webhookType)));
    setBusy(false);
  };
  const name = t(`webhooks.types.${health.webhookType}`);
  const off = health.state === "OFF";
  return html`<section class="card stack" aria-label=${name}>
    <div class="section-head"><h3>${name}</h3><${State} state=${health.state === "ON" && health.failingSince ? "FAILING" : health.state} /></div>
    ${off ? html`<p class="soft small">${t(`webhooks.hints.${health.webhookType}`)}</p>` : html`<p class="id">${health.url}</p>`}
    ${health.disabledReason && html`<div class="banner danger rounded">${t(`webhooks.disabled.${health.disabledReason}`, { time: health.disabledTime ? fullTime(health.disabledTime) : "" })}</div>`}
    ${!off && html`<dl class="facts">
      <dt>${t("webhooks.waiting")}</dt><dd class="number">${health.waitingDeliveries}</dd>
      <dt>${t("webhooks.failed")}</dt><dd class=${`number ${health.failedDeliveries ? "danger-text strong" : ""}`}>${health.failedDeliveries}</dd>
      ${health.failingSince && html`<${Fact} label=${t("webhooks.failingSince")}><${Time} time=${health.failingSince} /><//>`}</dl>`}
    ${pinged && html`<div class=${`banner rounded ${pinged.received ? "success" : "danger"}`} role="status"><div class="stack tight grow"><strong>${t(pinged.received ? "webhooks.pingOk" : "webhooks.pingFailed", { ms: pinged.durationMillis })}</strong>
      ${pinged.error && html`<span>${pinged.error}</span>`}${pinged.response && html`<${Code} title=${t("webhooks.answer")} text=${pinged.response} />`}</div></div>`}
    <div class="row wrap">${off ? html`<${Button} kind="small" icon="plus" label=${name} onClick=${onEdit}>${t("webhooks.addAddress")}<//>` : html`
      <${Button} kind="small" icon="bolt" label=${name} busy=${busy} onClick=${ping}>${t("webhooks.ping")}<//>
      <${Button} kind="small" icon="refresh" label=${name} onClick=${onResend}>${t("webhooks.resendSince")}<//>
      <${Link} class="button small quiet" to=${`/webhooks/${config.id}/deliveries`} search=${{ type: health.webhookType }}><span class="hidden-text">${name}</span>${t("webhooks.parts.deliveries")}<//>`}</div>
  </section>`;
}

/** @param {{config: Configuration}} props */
function Signing({ config }) {
  const [turn, setTurn] = useState(0);
  const rotate = async () => {
    if (!(await confirm({ title: t("webhooks.rotateTitle"), text: t("webhooks.rotateText"), action: t("webhooks.rotate") }))) return;
    if (await attempt(() => hooks.rotate(config.id), t("webhooks.rotated"))) setTurn(turn + 1);
  };
  return html`<section class="card stack"><h2>${t("webhooks.secret")}</h2><p class="soft small">${t("webhooks.secretText")}</p>
    <${Secret} key=${turn} label=${t("webhooks.secret")} load=${() => hooks.secret(config.id)} />
    <div class="row wrap"><${Button} icon="refresh" onClick=${rotate}>${t("webhooks.rotate")}<//><a class="button quiet" href="/docs/webhooks" target="_blank" rel="noopener">${t("webhooks.guide")}</a></div></section>`;
}

/** @param {Configuration} config @param {() => void} onChange */
async function remove(config, onChange) {
  if (!(await confirm({ title: t("webhooks.removeTitle"), text: t(config.whatsAppNumberId ? "webhooks.removeNumberText" : "webhooks.removeText"), action: t("webhooks.remove"), danger: true }))) return;
  if (!(await attempt(() => hooks.remove(config.id), t("webhooks.removed")))) return;
  go("/webhooks");
  onChange();
}
