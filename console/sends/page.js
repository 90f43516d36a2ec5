// Sends: the batches of the client, one batch with its progress, or a new send.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { useCommands } from "#app/palette.js";
import { go, Link } from "#app/router.js";
import { Icon } from "#ui/icons.js";
import { PagedTable } from "../developers/paged.js";
import { Time, withPlus } from "../developers/parts.js";
import { State } from "../developers/status.js";
import { BatchView } from "./batch.js";
import { isOver, job, sizeOf } from "./job.js";
import { NewSend } from "./new.js";

/** @typedef {import("./batch.js").Batch} Batch */

const AGAIN_MS = 5000;

/** @param {{batch?: string}} props */
export default function Sends({ batch = "" }) {
  useShortcuts([{ keys: "n", text: t("sends.new"), group: t("nav.sends"), run: () => go("/sends/new") }]);
  useCommands({ title: t("nav.sends"), commands: () => [{ text: t("sends.new"), icon: "send", keys: "n", run: () => go("/sends/new") }] });
  if (batch === "new") return html`<${NewSend} />`;
  if (batch) return html`<${BatchView} key=${batch} id=${batch} />`;
  const columns = [
    { key: "what", title: t("sends.what"), cell: (/** @type {Batch} */ one) => one.templateName ?? t(`sends.types.${one.messageType}`) },
    { key: "state", title: t("sends.state"), cell: (/** @type {Batch} */ one) => html`<${State} state=${one.state} />` },
    { key: "channel", title: t("customer.channel"), cell: (/** @type {Batch} */ one) => t(`channels.${one.channel}`) },
    { key: "accepted", title: t("sends.accepted"), end: true, cell: (/** @type {Batch} */ one) => one.acceptedCount },
    { key: "rejected", title: t("sends.rejected"), end: true, cell: (/** @type {Batch} */ one) => (one.rejectedCount ? html`<span class="danger-text">${one.rejectedCount}</span>` : 0) },
    { key: "sender", title: t("messages.sender"), cell: (/** @type {Batch} */ one) => html`<span class="number">${withPlus(one.sender)}</span>` },
    { key: "time", title: t("webhooks.time"), cell: (/** @type {Batch} */ one) => html`<span class="soft"><${Time} time=${one.createdTime} /></span>` },
  ];
  return html`<div class="page"><header class="page-head"><h1>${t("nav.sends")}</h1>
      <${Link} class="button primary" to="/sends/new"><${Icon} name="plus" />${t("sends.new")}<//></header>
    ${job.value && html`<${UnderWay} send=${job.value} />`}
    <div class="page-body flush" tabindex="-1"><${PagedTable} label=${t("nav.sends")} path="/whatsapp-api-service/v2/batches" every=${AGAIN_MS} columns=${columns} rowKey=${(/** @type {Batch} */ one) => one.batchId}
      onOpen=${(/** @type {Batch} */ one) => go(`/sends/${one.batchId}`)} empty=${{ icon: "send", title: t("sends.none"), text: t("sends.noneText") }} /></div></div>`;
}

/** Leads to the send under way. @param {{send: import("./job.js").SendJob}} props */
function UnderWay({ send }) {
  const { error, rejected, at } = send;
  const over = isOver(send);
  const text = over ? t("sends.rejectedText", { count: rejected.length }) : t(error ? "sends.stopped" : "sends.handing", { done: sizeOf(send, at) - rejected.length, total: sizeOf(send) });
  return html`<div class=${`banner ${error || over ? "warning" : ""}`} role="status"><${Icon} name="send" /><span class="grow">${text}</span><${Link} class="button small" to="/sends/new">${t("sends.show")}<//></div>`;
}
