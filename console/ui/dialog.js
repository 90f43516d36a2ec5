// Dialogs over the page. The browser's own `dialog` keeps the focus inside and gives it back.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button } from "#ui/controls.js";

/**
 * A dialog that is open as long as it is rendered. `onClose` is called when the viewer leaves it. `onSubmit` makes it a form, which is
 * not submitted again before `onSubmit` has ended.
 * @param {{title: string, wide?: boolean, onClose: () => void, onSubmit?: () => unknown, foot?: any, class?: string, children?: any}} props
 */
export function Dialog({ title, wide = false, onClose, onSubmit, foot, class: more = "", children }) {
  const id = useId();
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const body = useRef(/** @type {HTMLDivElement | null} */ (null));
  const sending = useRef(false);
  // Before the next key arrives, which belongs to the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  // A text without controls is scrolled by keys only if it can have the focus.
  useLayoutEffect(() => {
    if (body.current?.querySelector("a[href], button, input, select, textarea, [tabindex]")) body.current.removeAttribute("tabindex");
    else body.current?.setAttribute("tabindex", "0");
  });
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    onClose();
  };
  // The browser closes a dialog without asking if the viewer presses Escape twice.
  const closed = () => element.current?.open === false && onClose();
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (sending.current) return;
    sending.current = true;
    try {
      await onSubmit?.();
    } finally {
      sending.current = false;
    }
  };
  // The key that opened the dialog may still be held down: it does not answer it.
  const key = (/** @type {any} */ event) => event.key === "Enter" && event.repeat && !event.target.matches("textarea") && event.preventDefault();
  const inside = html`<div class="dialog-head"><h2 id=${id}>${title}</h2>
      <${Button} kind="quiet small" icon="close" label=${t("common.close")} onClick=${onClose} /></div>
    <div ref=${body} class="dialog-body">${children}</div>
    ${foot && html`<div class="dialog-foot">${foot}</div>`}`;
  return html`<dialog ref=${element} class=${`dialog ${wide ? "wide" : ""} ${more}`} aria-labelledby=${id} onCancel=${cancel} onClose=${closed}
    onKeyDown=${key} onMouseDown=${(/** @type {any} */ event) => event.target === element.current && onClose()}>
    ${onSubmit ? html`<form class="contents" onSubmit=${submit}>${inside}</form>` : inside}
  </dialog>`;
}

/** @typedef {{title: string, text: string, action: string, danger?: boolean, settle: (agreed: boolean) => void}} Question */
/** @type {import("@preact/signals").Signal<Question | null>} */
const question = signal(null);

/**
 * Asks before something that cannot be undone. Resolves to `true` if the viewer agrees.
 * @param {{title: string, text: string, action: string, danger?: boolean}} asked
 * @returns {Promise<boolean>}
 */
export function confirm(asked) {
  question.value?.settle(false);
  return new Promise((resolve) => {
    const settle = (/** @type {boolean} */ agreed) => {
      question.value = null;
      resolve(agreed);
    };
    question.value = { ...asked, settle };
  });
}

/** The place where `confirm` shows its question. */
export function Questions() {
  const asked = question.value;
  if (!asked) return null;
  return html`<${Dialog} title=${asked.title} onClose=${() => asked.settle(false)} onSubmit=${() => asked.settle(true)} foot=${html`
    <${Button} onClick=${() => asked.settle(false)}>${t("common.cancel")}<//>
    <${Button} kind=${asked.danger ? "danger primary" : "primary"} type="submit" autofocus>${asked.action}<//>`}>
    <p class="pre">${asked.text}</p><//>`;
}
