// A template as the customer sees it.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Icon } from "#ui/icons.js";
import { filled, part } from "../inbox/templates.js";

/** @param {{template: import("../inbox/templates.js").Template, values?: Record<string, string>, children?: any}} props */
export function Preview({ template, values = {}, children }) {
  const header = part(template, "HEADER");
  const buttons = part(template, "BUTTONS")?.buttons ?? [];
  return html`<section class="sample" aria-label=${t("templates.preview")}>${children}<div class="sample-bubble">
    ${header && (header.text ? html`<strong>${filled(header.text, values, "header")}</strong>` : html`<span class="sample-file"><${Icon} name=${header.format === "DOCUMENT" ? "document" : "image"} size="large" />${(header.format ?? "").toLowerCase()}</span>`)}
    <span class="pre">${filled(part(template, "BODY")?.text, values)}</span>
    ${part(template, "FOOTER") && html`<span class="tiny soft">${part(template, "FOOTER")?.text}</span>`}
    ${buttons.map((button) => html`<span key=${button.text} class="sample-button">${button.text}</span>`)}
  </div></section>`;
}
