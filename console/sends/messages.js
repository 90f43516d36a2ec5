// The messages of a batch, all or those in one state, with the reason of each failure.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Link, go, query } from "#app/router.js";
import { Select } from "#ui/controls.js";
import { PagedTable } from "../developers/paged.js";
import { Time } from "../developers/parts.js";
import { State } from "../developers/status.js";
import { messagesOf } from "../messages/find.js";

/**
 * @typedef {{gstId: string, ctId?: string | null, status: string, channel: string, receiver?: string | null, recipientUserId?: string | null, createdTime: string,
 *   sendTime?: string | null, deliveryTime?: string | null, readTime?: string | null, errorCode?: string | null, errorCodeString?: string | null}} BatchMessage
 */

/** A number that goes up whenever a text changes. @param {string} text */
function useTurns(text) {
  const [turn, setTurn] = useState(0);
  const before = useRef(text);
  useEffect(() => {
    if (before.current === text) return;
    before.current = text;
    setTurn((last) => last + 1);
  }, [text]);
  return turn;
}

/** @param {{batch: import("./batch.js").BatchProgress, states: string[]}} props */
export function BatchMessages({ batch, states }) {
  const status = query.value.status ?? "";
  const turn = useTurns(JSON.stringify(batch.progress));
  const filter = (/** @type {string} */ next) => go(`/sends/${batch.batchId}`, { search: { status: next }, replace: true });
  // The chosen state stays in the list when its last message has left it.
  const shown = states.filter((name) => batch.progress[name.toLowerCase()] > 0 || name === status);
  const columns = [
    { key: "to", title: t("sends.number"), cell: (/** @type {BatchMessage} */ one) => html`<${Link} class="cell-link number" to=${`/messages/${encodeURIComponent(one.gstId)}`} search=${{ q: batch.batchId }}>
      ${one.receiver ? `+${one.receiver}` : one.recipientUserId}<//>` },
    { key: "state", title: t("sends.state"), cell: (/** @type {BatchMessage} */ one) => html`<${State} state=${one.status} />` },
    { key: "reason", title: t("sends.reason"), cell: (/** @type {BatchMessage} */ one) => html`<${Reason} message=${one} />` },
    { key: "channel", title: t("customer.channel"), cell: (/** @type {BatchMessage} */ one) => html`<span class="soft">${t(`channels.${one.channel}`)}</span>` },
    { key: "ctId", title: "ctId", cell: (/** @type {BatchMessage} */ one) => html`<span class="id soft">${one.ctId ?? ""}</span>` },
    { key: "time", title: t("sends.lastStep"), cell: (/** @type {BatchMessage} */ one) => html`<span class="soft"><${Time} time=${one.readTime ?? one.deliveryTime ?? one.sendTime} /></span>` },
  ];
  return html`<section class="stack"><div class="section-head"><h2>${t("sends.messages")}</h2>
      <${Select} label=${t("sends.stateOfMessages")} hideLabel value=${status} onValue=${filter}
        options=${[["", t("sends.allStates", { count: batch.acceptedCount })], ...shown.map((name) => [name, t("sends.inState", { state: t(`states.${name}`), count: batch.progress[name.toLowerCase()] ?? 0 })])]} /></div>
    <div class="card"><${PagedTable} label=${t("sends.messages")} path=${messagesOf(batch.batchId)} query=${{ status }} columns=${columns} turn=${turn}
      rowKey=${(/** @type {BatchMessage} */ one) => one.gstId} empty=${{ icon: "flow", title: t(status ? "sends.noneInState" : "sends.noMessages") }} /></div></section>`;
}

/** @param {{message: BatchMessage}} props */
function Reason({ message }) {
  if (!message.errorCode) return null;
  return html`<span class="danger-text"><span class="number strong">${message.errorCode}</span> ${message.errorCodeString ?? ""}</span>`;
}
