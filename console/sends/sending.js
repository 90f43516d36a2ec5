// A send under way: requests one after the other, the rejected recipients, and the batches.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { go, Link } from "#app/router.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Fault } from "#ui/states.js";
import { Table } from "#ui/table.js";

/** @typedef {{number: string, reason: string}} Rejected */

const SHOWN = 200;

/** @param {{requests: Array<{key: string, size: number, body: object}>, title: string}} props */
export function Sending({ requests, title }) {
  const [at, setAt] = useState(0);
  const [batches, setBatches] = useState(/** @type {string[]} */ ([]));
  const [rejected, setRejected] = useState(/** @type {Rejected[]} */ ([]));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const total = requests.reduce((sum, one) => sum + one.size, 0);
  const done = requests.slice(0, at).reduce((sum, one) => sum + one.size, 0);
  const over = at === requests.length;
  useEffect(() => {
    if (over || error) return;
    const request = requests[at];
    api.post("/whatsapp-api-service/v2/channels/whatsapp", request.body, { headers: { "idempotency-key": request.key } }).then((answer) => {
      setBatches((before) => [...before, answer.batchId]);
      setRejected((before) => [...before, ...answer.rejectedRecipients]);
      setAt(at + 1);
    }, setError);
  }, [at, error]);
  useEffect(() => {
    if (over) return undefined;
    const ask = (/** @type {Event} */ event) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [over]);
  useEffect(() => {
    if (over && batches.length === 1 && !rejected.length) go(`/sends/${batches[0]}`, { replace: true });
  }, [over, batches.length]);
  const columns = [
    { key: "number", title: t("sends.number"), cell: (/** @type {Rejected} */ one) => html`<span class="number">${one.number}</span>` },
    { key: "reason", title: t("sends.faults"), cell: (/** @type {Rejected} */ one) => one.reason },
  ];
  return html`<div class="page"><header class="page-head"><${Button} kind="quiet" icon="arrowLeft" label=${t("sends.back")} onClick=${() => go("/sends")} /><h1>${title}</h1></header>
    <div class="page-body narrow" tabindex="-1"><div class="stack loose"><section class="card stack" role="status"><span>${t(over ? "sends.handedOver" : "sends.handing", { done: done - rejected.length, total })}</span>
        <progress class="bar" aria-label=${t("sends.progress")} max=${total} value=${done}></progress></section>
      ${error && html`<${Fault} error=${error} retry=${() => setError(null)} />`}
      ${batches.length > 0 && html`<ul class="stack tight">${batches.map((one, index) => html`<li key=${one}><${Link} to=${`/sends/${one}`}>${t("sends.batchNumber", { number: index + 1 })} <span class="id">${one}</span><//></li>`)}</ul>`}
      ${rejected.length > 0 && html`<section class="stack"><div class="banner warning rounded"><${Icon} name="alert" />${t("sends.rejectedText", { count: rejected.length })}</div>
        <${Table} label=${t("sends.rejected")} columns=${columns} rows=${rejected.slice(0, SHOWN)} rowKey=${(/** @type {Rejected} */ one) => one.number} /></section>`}
    </div></div></div>`;
}
