// Places for content that is absent: it is loading, there is none, or a fault prevents it.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { describe } from "#app/faults.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Prose } from "#ui/prose.js";

/** @param {{icon?: string, title: string, fill?: boolean, children?: any}} props */
export function Empty({ icon = "inbox", title, fill = false, children }) {
  return html`<div class=${`empty ${fill ? "fill" : ""}`}><${Icon} name=${icon} /><h2>${title}</h2>${children}</div>`;
}

/** Rows that stand for a list that loads. @param {{rows?: number, round?: boolean}} props */
export function SkeletonList({ rows = 6, round = false }) {
  return html`<div aria-busy="true"><span class="hidden-text" role="status">${t("common.loading")}</span>
    ${Array.from({ length: rows }, (_, row) => html`<div key=${row} class="list-row">
      ${round && html`<span class="skeleton round"></span>`}
      <div class="grow stack tight"><span class=${`skeleton w${(row % 3) + 1}`}></span><span class=${`skeleton w${((row + 1) % 3) + 1}`}></span></div>
    </div>`)}</div>`;
}

/** A fault with its cure, the id of the request, and a way to try again. @param {{error: unknown, retry?: () => void, busy?: boolean}} props */
export function Fault({ error, retry, busy = false }) {
  const { title, cure, fields, requestId } = describe(error);
  return html`<div class="banner danger rounded" role="alert"><${Icon} name="alert" />
    <div class="grow stack tight"><strong>${title}</strong>${cure && html`<span class="pre"><${Prose} text=${cure} /></span>`}
      ${fields.map((fault) => html`<span key=${fault.field}><code>${fault.field}</code> <${Prose} text=${fault.message} /></span>`)}
      ${requestId && html`<span class="tiny">${t("fault.request")} <code>${requestId}</code></span>`}
    </div>
    ${retry && html`<${Button} kind="small" busy=${busy} onClick=${retry}>${t("common.retry")}<//>`}
  </div>`;
}

/**
 * The three states of something that loads. `children` is a function of the data. If the data could not be loaded again, the fault
 * stands before them.
 * @param {{load: {data?: any, error?: unknown, busy?: boolean, reload: () => void}, skeleton?: any, children: (data: any) => any}} props
 */
export function Loaded({ load, skeleton, children }) {
  // Both places are always there, so that the children keep their state when a fault comes or goes.
  if (load.data !== undefined) return [load.error ? html`<${Fault} error=${load.error} retry=${load.reload} busy=${load.busy} />` : null, children(load.data)];
  if (load.error) return html`<${Fault} error=${load.error} retry=${load.reload} busy=${load.busy} />`;
  return skeleton ?? html`<${SkeletonList} />`;
}
