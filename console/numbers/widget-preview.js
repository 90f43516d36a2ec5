// The widget as visitors see it, drawn with the settings that are being edited.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";

/** The texts that most sites change, with the widget's own defaults. @type {Record<string, string>} */
export const DEFAULT_TEXTS = {
  launcher: "Chat with us",
  title: "Chat",
  greeting: "Hello! How can we help?",
  placeholder: "Write a message",
  queued: "We are connecting you with an agent. You can continue to write.",
  afterHours: "We are not available now. Write to us, and we will answer when we are back.",
  rate: "How was our service?",
  formTitle: "Before we begin",
  formSubmit: "Begin chat",
};
const COLOR = /^#[0-9a-f]{6}$/i;

/** The lightness of a colour, by WCAG. @param {string} color */
function luminance(color) {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

/** @param {string} one @param {string} other */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((first, second) => first - second);
  return (high + 0.05) / (low + 0.05);
}

/** @param {{look: Record<string, string>, texts: Record<string, string>, form: any}} props */
export function WidgetPreview({ look, texts, form }) {
  const [open, setOpen] = useState(true);
  const [asks, setAsks] = useState(true);
  const text = (/** @type {string} */ key) => texts[key] || DEFAULT_TEXTS[key];
  const brand = COLOR.test(look.color ?? "") ? look.color : "#0a6c58";
  const automatic = contrast(brand, "#ffffff") >= contrast(brand, "#000000") ? "#ffffff" : "#000000";
  const ink = COLOR.test(look.textColor ?? "") ? look.textColor : automatic;
  const ratio = contrast(brand, ink);
  const fields = form?.fields ?? [];
  return html`<section class="stack" aria-label=${t("sites.preview")}><div class="row wrap"><h2 class="grow">${t("sites.preview")}</h2>
      <${Button} kind="small" onClick=${() => setOpen(!open)}>${t(open ? "sites.closed" : "sites.opened")}<//>${fields.length > 0 && open && html`<${Button} kind="small" onClick=${() => setAsks(!asks)}>${t(asks ? "sites.showChat" : "sites.showForm")}<//>`}</div>
    ${ratio < 4.5 && html`<div class="banner danger rounded" role="status">${t("sites.contrast", { ratio: ratio.toFixed(1) })}</div>`}
    <div class="stage" data-scheme=${look.scheme ?? "AUTO"} data-side=${look.side ?? "END"} dir=${look.direction === "RTL" ? "rtl" : look.direction === "LTR" ? "ltr" : undefined} style=${{ "--brand": brand, "--on-brand": ink }} aria-hidden="true">
      ${open && html`<div class="w-panel"><div class="w-head"><strong>${text("title")}</strong><${Icon} name="close" /></div>
        ${fields.length && asks ? html`<div class="w-form"><strong>${text("formTitle")}</strong>${fields.map((/** @type {any} */ one) => html`<div key=${one.key} class=${`w-field ${one.type === "CONSENT" ? "w-tick" : ""}`}><span>${one.label || one.key}${one.required ? " *" : ""}</span><i></i></div>`)}<span class="w-primary">${text("formSubmit")}</span></div>`
          : html`<div class="w-log"><p class="w-bubble">${text("greeting")}</p><p class="w-bubble own">${t("sites.sample")}</p><p class="w-status">${text("queued")}</p></div>
            <div class="w-compose"><span>${text("placeholder")}</span><i class="w-send"><${Icon} name="send" size="small" /></i></div>`}</div>`}
      <span class="w-launcher" title=${text("launcher")}><${Icon} name=${open ? "close" : "chat"} size="large" /></span></div></section>`;
}
