// A batch: its progress, pause, resume, cancel, its messages, and its report.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api, download } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { go } from "#app/router.js";
import { fullTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Menu } from "#ui/menu.js";
import { Loaded } from "#ui/states.js";
import { attempt, Fact, Id, withPlus } from "../developers/parts.js";
import { State } from "../developers/status.js";
import { BatchMessages } from "./messages.js";

/**
 * @typedef {{batchId: string, requestId?: string | null, state: string, sender?: string | null, channel: string, messageType: string, templateName?: string | null,
 *   category?: string | null, acceptedCount: number, rejectedCount: number, createdTime: string}} Batch
 * @typedef {Batch & {progress: Record<string, number>}} BatchProgress
 */

const BATCHES = "/whatsapp-api-service/v2/batches";
const AGAIN_MS = 1500;
/** Receipts arrive after the last message has left. */
const AGAIN_AFTER_MS = 6000;
/** Parts of the bar, from the left. */
const PARTS = ["read", "played", "delivered", "sent", "accepted", "queued", "failed"];
const STATES = PARTS.map((name) => name.toUpperCase());

/** @param {{id: string}} props */
export function BatchView({ id }) {
  const load = useLoad((signal) => api.get(`${BATCHES}/${id}`, undefined, { signal }), [id]);
  const [busy, setBusy] = useState(false);
  /** @type {BatchProgress | undefined} */
  const batch = load.data;
  const state = batch?.state ?? "";
  const queued = batch?.progress.queued ?? 0;
  const over = state === "DONE" || (state === "CANCELLED" && queued === 0);
  useRefresh(load, !state ? 0 : over ? AGAIN_AFTER_MS : AGAIN_MS);
  const change = async (/** @type {string} */ how) => {
    if (how === "cancel" && !(await confirm({ title: t("sends.cancelTitle"), text: t("sends.cancelText"), action: t("sends.cancel"), danger: true }))) return;
    setBusy(true);
    await attempt(async () => load.replace(await api.post(`${BATCHES}/${id}/${how}`)), t(`sends.done.${how}`));
    setBusy(false);
  };
  const save = (/** @type {string} */ format) => attempt(() => download(`${BATCHES}/${id}/report`, { format }, `batch-${id}.${format}`));
  return html`<div class="page"><header class="page-head"><${Button} kind="quiet" icon="arrowLeft" label=${t("sends.back")} onClick=${() => go("/sends")} />
      <h1>${batch?.templateName ?? t("sends.batch")}</h1>
      ${state === "OPEN" && html`<${Button} icon="pause" busy=${busy} onClick=${() => change("pause")}>${t("sends.pause")}<//>`}
      ${state === "PAUSED" && html`<${Button} kind="primary" icon="play" busy=${busy} onClick=${() => change("resume")}>${t("sends.resume")}<//>`}
      ${(state === "OPEN" || state === "PAUSED") && html`<${Button} kind="danger" icon="close" busy=${busy} onClick=${() => change("cancel")}>${t("sends.cancel")}<//>`}
      <${Menu} label=${t("sends.report")} kind="" icon="download" items=${[{ text: "CSV", icon: "list", run: () => save("csv") }, { text: "NDJSON", icon: "code", run: () => save("ndjson") }]}>${t("sends.reportShort")}<//></header>
    <div class="page-body batch" tabindex="-1"><${Loaded} load=${load}>${(/** @type {BatchProgress} */ one) => html`<div class="stack loose batch-facts"><${Progress} batch=${one} />
      <dl class="facts"><${Fact} label=${t("sends.state")}><${State} state=${one.state} /><//>
        <${Fact} label="batchId"><${Id} id=${one.batchId} /><//>
        ${one.requestId && html`<${Fact} label="requestId"><${Id} id=${one.requestId} /><//>`}
        <${Fact} label=${t("messages.sender")} value=${withPlus(one.sender)} />
        <${Fact} label=${t("customer.channel")} value=${t(`channels.${one.channel}`)} />
        <${Fact} label=${t("webhooks.created")} value=${fullTime(one.createdTime)} />
        <${Fact} label=${t("sends.rejected")} value=${one.rejectedCount} /></dl></div>
      <${BatchMessages} batch=${one} states=${STATES} />`}<//></div></div>`;
}

/** @param {{batch: BatchProgress}} props */
function Progress({ batch }) {
  const total = batch.acceptedCount;
  const left = batch.progress.queued ?? 0;
  const done = total - left;
  const parts = PARTS.filter((name) => batch.progress[name] > 0);
  return html`<section class="card stack" aria-label=${t("sends.progress")}>
    <div class="row between"><span class="sends-done number">${t("sends.doneOf", { done, total })}</span><span class="soft number">${total ? Math.floor((done / total) * 100) : 100} %</span></div>
    <div class="stacked" role="progressbar" aria-label=${t("sends.progress")} aria-valuemin="0" aria-valuemax=${total} aria-valuenow=${done}>
      ${parts.map((name) => html`<i key=${name} class=${`part-${name}`} style=${{ flexGrow: batch.progress[name] }}></i>`)}</div>
    <ul class="legend">${PARTS.map((name) => html`<li key=${name}><i class=${`part-${name}`}></i><span>${t(`states.${name.toUpperCase()}`)}</span><span class="number strong">${batch.progress[name] ?? 0}</span></li>`)}</ul></section>`;
}
