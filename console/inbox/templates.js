// Templates of WhatsApp: their placeholders, a preview, and the values of a send.

/** @typedef {{type: string, text?: string, format?: string, buttons?: Array<{type: string, text: string, url?: string, example?: string[]}>, example?: any, cards?: any[]}} Component */
/** @typedef {{id: string, name: string, language: string, status: string, category: string, parameterFormat: string, components: Component[]}} Template */
/** `label` is shown; `example` is the provider's. @typedef {{key: string, part: "header" | "body" | "button", label: string, example: string}} Placeholder */

const PLACE = /\{\{\s*([\w.]+)\s*\}\}/g;

/** @param {Template} template @param {string} type */
export function part(template, type) {
  return template.components.find((one) => one.type === type);
}

/** Whether the dialog can send it: carousels need files for each card. @param {Template} template */
export function isSendable(template) {
  return template.status === "APPROVED" && !part(template, "CAROUSEL");
}

/** The file that the header needs: `IMAGE`, `VIDEO`, `DOCUMENT` or nothing. @param {Template} template */
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

/** The values that a viewer must give. @param {Template} template @returns {Placeholder[]} */
export function placeholders(template) {
  const header = part(template, "HEADER");
  const body = part(template, "BODY");
  const ofHeader = inText("header", header?.text, header?.example?.header_text ?? [], header?.example?.header_text_named_params ?? []);
  const ofBody = inText("body", body?.text, body?.example?.body_text?.[0] ?? [], body?.example?.body_text_named_params ?? []);
  const buttons = part(template, "BUTTONS")?.buttons ?? [];
  const ofButtons = buttons.flatMap((button, index) => {
    const asks = button.type === "COPY_CODE" || places(button.url).length > 0;
    return asks ? [{ key: `button-${index}`, part: /** @type {const} */ ("button"), label: button.text, example: button.type === "COPY_CODE" ? (button.example?.[0] ?? "") : "" }] : [];
  });
  return [...ofHeader, ...ofBody, ...ofButtons];
}

/** A text with the values that are known. @param {string | undefined} text @param {Record<string, string>} values @param {"header" | "body"} [of] the part with the text */
export function filled(text, values, of = "body") {
  return (text ?? "").replace(PLACE, (whole, name) => values[`${of}-${name}`] || whole);
}

/** The texts of the labels of fields for values, by their part. */
export const LABELS = { header: "templates.headerValue", body: "templates.value", button: "templates.button" };

/**
 * The components of a send: the values of all placeholders.
 * @param {Template} template
 * @param {Record<string, string>} values by the key of the placeholder
 * @param {string} fileUrl of the header
 */
export function componentsOf(template, values, fileUrl) {
  const asked = placeholders(template);
  const of = (/** @type {string} */ wanted) => asked.filter((one) => one.part === wanted).map((one) => values[one.key] ?? "");
  const format = headerFile(template);
  return [
    ...(format ? [{ type: "header", format, url: fileUrl }] : []),
    ...(of("header").length ? [{ type: "header", parameters: of("header") }] : []),
    ...(of("body").length ? [{ type: "body", parameters: of("body") }] : []),
    ...(of("button").length ? [{ type: "button", parameters: of("button") }] : []),
  ];
}
