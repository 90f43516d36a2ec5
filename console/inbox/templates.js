// Templates of WhatsApp: their placeholders, a preview, and the values of a send.

/** @typedef {{components: Component[]}} Card */
/** @typedef {{type: string, text?: string, format?: string, buttons?: Array<{type: string, text: string, url?: string, example?: string[]}>, example?: any, cards?: Card[]}} Component */
/** @typedef {{id: string, name: string, language: string, status: string, category: string, parameterFormat: string, components: Component[]}} Template */
/** `label` is shown; `example` is the provider's; `card` is the number of a card, from 1. @typedef {{key: string, part: "file" | "header" | "body" | "button", label: string, example: string, card?: number}} Placeholder */

const PLACE = /\{\{\s*([\w.]+)\s*\}\}/g;
const FORMATS = ["TEXT", "IMAGE", "VIDEO", "DOCUMENT"];

/** @param {{components: Component[]}} template @param {string} type */
export function part(template, type) {
  return template.components.find((one) => one.type === type);
}

/** @param {Template} template @returns {Card[]} */
export function cardsOf(template) {
  return part(template, "CAROUSEL")?.cards ?? [];
}

/** Whether a send can fill it. @param {Template} template */
export function isSendable(template) {
  return template.status === "APPROVED" && [template, ...cardsOf(template)].every((level) => FORMATS.includes(part(level, "HEADER")?.format ?? "TEXT"));
}

/** The file that the header needs: `IMAGE`, `VIDEO`, `DOCUMENT` or nothing. @param {{components: Component[]}} template */
export function headerFile(template) {
  const format = part(template, "HEADER")?.format;
  return format && format !== "TEXT" ? format : "";
}

/** @param {string | undefined} text */
function places(text) {
  return [...new Set([...(text ?? "").matchAll(PLACE)].map((found) => found[1]))];
}

/** The placeholders of a text. `examples` are those of the provider in their order, `named` those with names. @param {"header" | "body"} of @param {string | undefined} text @param {string[]} examples @param {any[]} named @returns {Placeholder[]} */
function inText(of, text, examples, named) {
  return places(text).map((name, index) => ({ key: `${of}-${name}`, part: of, label: name, example: named.find((one) => one.param_name === name)?.example ?? examples[index] ?? "" }));
}

/** The placeholders of a template without its cards, or of one card. @param {{components: Component[]}} level @returns {Placeholder[]} */
function ofLevel(level) {
  const header = part(level, "HEADER");
  const body = part(level, "BODY");
  const ofHeader = inText("header", header?.text, header?.example?.header_text ?? [], header?.example?.header_text_named_params ?? []);
  const ofBody = inText("body", body?.text, body?.example?.body_text?.[0] ?? [], body?.example?.body_text_named_params ?? []);
  const buttons = part(level, "BUTTONS")?.buttons ?? [];
  const ofButtons = buttons.flatMap((button, index) => {
    const asks = button.type === "COPY_CODE" || places(button.url).length > 0;
    return asks ? [{ key: `button-${index}`, part: /** @type {const} */ ("button"), label: button.text, example: button.type === "COPY_CODE" ? (button.example?.[0] ?? "") : "" }] : [];
  });
  return [...ofHeader, ...ofBody, ...ofButtons];
}

/** The placeholders of a card, with its file. @param {Card} card @param {number} index @returns {Placeholder[]} */
function ofCard(card, index) {
  const format = headerFile(card);
  /** @type {Placeholder[]} */
  const file = format ? [{ key: "file", part: "file", label: format.toLowerCase(), example: "" }] : [];
  return [...file, ...ofLevel(card)].map((one) => ({ ...one, key: `${keyOfCard(index)}${one.key}`, card: index + 1 }));
}

/** The beginning of the keys of a card. @param {number} index */
export function keyOfCard(index) {
  return `card-${index}-`;
}

/** The values that a viewer must give. The file of the header is none of them, those of cards are. @param {Template} template @returns {Placeholder[]} */
export function placeholders(template) {
  return [...ofLevel(template), ...cardsOf(template).flatMap(ofCard)];
}

/** A text with the values that are known. @param {string | undefined} text @param {Record<string, string | null>} values @param {string} [of] the beginning of the keys of its values */
export function filled(text, values, of = "body") {
  return (text ?? "").replace(PLACE, (whole, name) => values[`${of}-${name}`] || whole);
}

/** The components of one level. @param {{components: Component[]}} level @param {Record<string, string | null>} values @param {string} before @param {string} url @param {string} [filename] */
function filledLevel(level, values, before, url, filename) {
  const asked = ofLevel(level);
  const of = (/** @type {string} */ wanted) => asked.filter((one) => one.part === wanted).map((one) => values[before + one.key] ?? "");
  const format = headerFile(level);
  return [
    ...(format ? [{ type: "header", format, url, ...(filename && format === "DOCUMENT" ? { filename } : {}) }] : []),
    ...(of("header").length ? [{ type: "header", parameters: of("header") }] : []),
    ...(of("body").length ? [{ type: "body", parameters: of("body") }] : []),
    ...(of("button").length ? [{ type: "button", parameters: of("button") }] : []),
  ];
}

/**
 * The components of a send: the values of all placeholders.
 * @param {Template} template
 * @param {Record<string, string | null>} values by the key of the placeholder
 * @param {string} fileUrl of the header
 * @param {string} [fileName] of the header: customers see that of a document
 */
export function componentsOf(template, values, fileUrl, fileName) {
  const cards = cardsOf(template).map((card, index) => ({ components: filledLevel(card, values, keyOfCard(index), values[`${keyOfCard(index)}file`] ?? "") }));
  return [...filledLevel(template, values, "", fileUrl, fileName), ...(cards.length ? [{ type: "carousel", cards }] : [])];
}
