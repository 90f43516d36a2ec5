// Short reports at the edge of the page, which screen readers announce.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { t } from "#app/i18n.js";
import { describe, oneLine } from "#app/faults.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Prose } from "#ui/prose.js";

const SHOWN_MS = 6000;
const MOST = 3;

/** @typedef {{id: number, text: string, icon: string, requestId?: string, action?: {text: string, run: () => void}}} Toast */
/** @type {import("@preact/signals").Signal<Toast[]>} */
const toasts = signal([]);
let last = 0;

/**
 * Reports something that went well, with an action such as undo.
 * @param {string} text
 * @param {{icon?: string, action?: {text: string, run: () => void}}} [more]
 */
export function report(text, more = {}) {
  add({ id: ++last, text, icon: more.icon ?? "check", action: more.action }, SHOWN_MS);
}

/** Reports a fault with its cure. A fault stays twice as long. @param {unknown} error */
export function reportFault(error) {
  const { title, cure, fields, requestId } = describe(error);
  const detail = fields.length ? fields.map((one) => `${one.field} ${one.message}`).join("; ") : cure;
  add({ id: ++last, text: oneLine(title, detail), icon: "alert", requestId }, 2 * SHOWN_MS);
}

/** @param {Toast} toast @param {number} shown */
function add(toast, shown) {
  // The same report again, for example of calls that fail together, replaces the former one.
  toasts.value = [...toasts.value.filter((one) => one.text !== toast.text), toast].slice(-MOST);
  setTimeout(() => remove(toast.id), shown);
}

/** @param {number} id */
function remove(id) {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">${toasts.value.map((toast) => html`
    <div key=${toast.id} class="toast"><span class="toast-text"><${Icon} name=${toast.icon} /></span>
      <span class="toast-text grow"><${Prose} text=${toast.text} />${toast.requestId && html`<span class="request">${t("fault.request")} <code>${toast.requestId}</code></span>`}</span>
      ${toast.action && html`<${Button} kind="small" onClick=${() => act(toast)}>${toast.action.text}<//>`}
      <${Button} kind="small" icon="close" label=${t("common.close")} onClick=${() => remove(toast.id)} />
    </div>`)}</div>`;
}

/** @param {Toast} toast */
function act(toast) {
  remove(toast.id);
  toast.action?.run();
}
