// The view of the send under way: its progress, the batches, and the rejected recipients.
import { html } from "htm/preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { t } from "#app/i18n.js";
import { go, Link } from "#app/router.js";
import { Button } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Fault } from "#ui/states.js";
import { Table } from "#ui/table.js";
import { continueJob, endJob, isOver, sizeOf, watchJob } from "./job.js";

/** @typedef {import("./job.js").Rejected} Rejected */

const SHOWN = 200;

/** @param {{job: import("./job.js").SendJob}} props */
export function Sending({ job }) {
  const { title, at, batches, rejected, error } = job;
  const over = isOver(job);
  const total = sizeOf(job);
  const done = sizeOf(job, at);
  // Before the first answer can come.
  useLayoutEffect(watchJob, []);
  useEffect(() => {
    if (!over || batches.length !== 1 || rejected.length) return;
    go(`/sends/${batches[0]}`, { replace: true });
    endJob();
  }, [over]);
  const drop = async () => {
    if (await confirm({ title: t("sends.dropTitle"), text: t("sends.dropText", { count: total - done }), action: t("sends.drop"), danger: true })) endJob();
  };
  const columns = [
    { key: "number", title: t("sends.number"), cell: (/** @type {Rejected} */ one) => html`<span class="number">${one.number}</span>` },
    { key: "reason", title: t("sends.faults"), cell: (/** @type {Rejected} */ one) => one.reason },
  ];
  return html`<div class="page"><header class="page-head"><${Button} kind="quiet" icon="arrowLeft" label=${t("sends.back")} onClick=${() => go("/sends")} /><h1>${title}</h1>
      ${over && html`<${Button} kind="primary" icon="plus" onClick=${endJob}>${t("sends.new")}<//>`}</header>
    <div class="page-body narrow" tabindex="-1"><div class="stack loose"><section class="card stack" role="status"><span>${t(over ? "sends.handedOver" : "sends.handing", { done: done - rejected.length, total })}</span>
        <progress class="bar" aria-label=${t("sends.progress")} max=${total} value=${done}></progress></section>
      ${error && html`<${Fault} error=${error} retry=${continueJob} /><div><${Button} kind="danger" icon="close" onClick=${drop}>${t("sends.drop")}<//></div>`}
      ${batches.length > 0 && html`<ul class="stack tight">${batches.map((one, index) => html`<li key=${one}><${Link} to=${`/sends/${one}`}>${t("sends.batchNumber", { number: index + 1 })} <span class="id">${one}</span><//></li>`)}</ul>`}
      ${rejected.length > 0 && html`<section class="stack"><div class="banner warning rounded"><${Icon} name="alert" />${t("sends.rejectedText", { count: rejected.length })}</div>
        <${Table} label=${t("sends.rejected")} columns=${columns} rows=${rejected.slice(0, SHOWN)} rowKey=${(/** @type {Rejected} */ one) => one.number} /></section>`}
    </div></div></div>`;
}
