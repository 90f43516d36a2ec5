// Parts of the forms and previews of templates.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Icon } from "#ui/icons.js";
import { cardsOf, filled, keyOfCard, part } from "./templates.js";

const LABELS = { file: "templates.file", header: "templates.headerValue", body: "templates.value", button: "templates.button" };

/** The label of the field for a value. `braces`: a place with a number is written as the template has it. @param {import("./templates.js").Placeholder} one @param {boolean} [braces] */
export function valueLabel(one, braces = false) {
  const name = braces && /^\d+$/.test(one.label) && one.part !== "button" ? `{{${one.label}}}` : one.label;
  const label = t(LABELS[one.part], { name, format: name });
  return one.card ? t("templates.inCard", { number: one.card, label }) : label;
}

/** The header, the text, the footer and the buttons of a template or of a card. @param {{level: {components: import("./templates.js").Component[]}, values: Record<string, string | null>, before?: string}} props */
function Level({ level, values, before = "" }) {
  const header = part(level, "HEADER");
  const buttons = part(level, "BUTTONS")?.buttons ?? [];
  return html`${header && (header.text ? html`<strong>${filled(header.text, values, `${before}header`)}</strong>` : html`<span class="sample-file"><${Icon} name=${header.format === "DOCUMENT" ? "document" : "image"} size="large" />${(header.format ?? "").toLowerCase()}</span>`)}
    <span class="pre">${filled(part(level, "BODY")?.text, values, `${before}body`)}</span>
    ${part(level, "FOOTER") && html`<span class="tiny soft">${part(level, "FOOTER")?.text}</span>`}
    ${buttons.map((button) => html`<span key=${button.text} class="sample-button">${button.text}</span>`)}`;
}

/** A template as the customer sees it. @param {{template: import("./templates.js").Template, values?: Record<string, string | null>, children?: any}} props */
export function TemplatePreview({ template, values = {}, children }) {
  const cards = cardsOf(template);
  return html`<section class="sample" aria-label=${t("templates.preview")}>${children}<div class="sample-bubble"><${Level} level=${template} values=${values} /></div>
    ${cards.length > 0 && html`<div class="sample-cards" role="group" tabindex="0" aria-label=${t("templates.cards")}>${cards.map((card, index) => html`<div key=${index} class="sample-bubble"><${Level} level=${card} values=${values} before=${keyOfCard(index)} /></div>`)}</div>`}</section>`;
}
