// Messages of WhatsApp: those of a business (a request to the Graph API, or of a Lite device) and those of a phone.
import { fileAddress, millis, webAddress } from "./addresses.js";

/**
 * @typedef {import("./model.js").Message} Message
 * @typedef {import("./model.js").Choice} Choice
 * @typedef {import("../types/views.js").PhoneRecord} PhoneRecord
 * @typedef {import("../types/views.js").PhoneLetter} PhoneLetter
 * @typedef {import("../types/whatsapp.js").GraphBody} GraphBody
 * @typedef {import("../types/whatsapp.js").Header} Header
 * @typedef {{button: string, card?: number}} TappedButton
 * @typedef {keyof import("../types/whatsapp.js").Files} FileType
 */

/** @type {Record<FileType, import("./model.js").Media["kind"]>} */
const MEDIA = { image: "photo", video: "video", audio: "audio", document: "document", sticker: "sticker" };

/** @param {string|undefined} type @returns {FileType|undefined} */
function fileType(type) {
  return /** @type {FileType[]} */ (Object.keys(MEDIA)).find((one) => one === type);
}

/** @param {FileType} type @param {import("../types/whatsapp.js").File|undefined} part @returns {import("./model.js").Media|null} */
function media(type, part) {
  if (!part) return null;
  const shown = type === "audio" && part.voice ? "voice" : MEDIA[type];
  const url = part.id ? fileAddress(part.id) : webAddress(part.link || part.url);
  return { kind: shown, url, name: part.filename };
}

/** @param {import("../types/whatsapp.js").Location|undefined} part @returns {import("./model.js").Place|null} */
function place(part) {
  if (!part) return null;
  return { latitude: Number(part.latitude), longitude: Number(part.longitude), name: part.name, address: part.address };
}

/** @param {import("../types/whatsapp.js").Contact[]|undefined} contacts */
function people(contacts) {
  return (contacts || []).map((one) => ({
    name: one.name?.formatted_name || one.name?.first_name || "Contact", phone: one.phones?.[0]?.phone,
  }));
}

/** @param {import("../types/views.js").PhoneButton} button @param {(what: TappedButton) => Promise<unknown>} tap @returns {Choice} */
function choice(button, tap) {
  const shown = { id: `${button.card ?? ""}:${button.index}`, title: button.title, description: button.description };
  if (button.kind === "local") return { ...shown, local: true, href: webAddress(button.id), note: button.id };
  return { ...shown, local: false, tap: () => tap({ button: button.id, card: button.card }) };
}

/** The media in the header of an interactive message or a template. @param {Header|undefined} header */
function headerMedia(header) {
  const type = fileType(header?.type);
  return type ? media(type, header?.[type]) : null;
}

/** @param {PhoneRecord} message @param {GraphBody} body @param {Choice[]} choices @returns {Partial<Message>} */
function interactive(message, body, choices) {
  const shown = body.interactive || {};
  const made = {
    header: shown.header?.type === "text" ? shown.header.text : undefined,
    media: headerMedia(shown.header),
    text: shown.body?.text || message.text,
    footer: shown.footer?.text,
  };
  if (shown.type !== "list") return { ...made, choices };
  let next = 0;
  const sections = (shown.action?.sections || []).map((section) => {
    const count = section.rows?.length || 0;
    next += count;
    return { title: section.title, choices: choices.slice(next - count, next) };
  });
  return { ...made, list: { button: shown.action?.button || "Menu", sections } };
}

/** @param {PhoneRecord} message @param {GraphBody} body @param {Choice[]} choices @returns {Partial<Message>} */
function template(message, body, choices) {
  const components = body.template?.components || [];
  /** @param {string} kind */
  const named = (kind) => components.find((one) => String(one.type).toLowerCase() === kind);
  const given = named("carousel")?.cards || [];
  const cards = (message.cards || []).map((text, index) => {
    const card = given.find((one) => one.card_index === index) || given[index];
    const header = (card?.components || []).find((one) => String(one.type).toLowerCase() === "header");
    return { text, media: headerMedia(header?.parameters?.[0]), choices: choices.filter((one) => one.id.startsWith(`${index}:`)) };
  });
  // The simulator appends the cards to the text, for readers of the API.
  const appended = (message.cards || []).map((text, index) => `\n[${index + 1}] ${text}`).join("");
  const text = appended && message.text.endsWith(appended) ? message.text.slice(0, -appended.length) : message.text;
  const own = choices.filter((one) => one.id.startsWith(":"));
  return { media: headerMedia(named("header")?.parameters?.[0]), text, cards, choices: own };
}

/** @param {PhoneRecord} message @param {(messageId: string) => (what: TappedButton) => Promise<unknown>} tap @returns {Message} */
export function received(message, tap) {
  const body = message.body || {};
  const choices = (message.buttons || []).map((button) => choice(button, tap(message.id)));
  /** @type {Message} */
  const base = {
    id: message.id,
    own: false,
    time: millis(message.receivedTime),
    text: message.text,
    quote: body.context?.message_id || body.quoted || null,
    state: message.status === "sent" ? "waiting" : null,
    unread: message.channel === "WHATSAPP" && (message.status === "delivered" || message.status === "sent"),
    notes: message.parts && message.parts > 1 ? [`${message.parts} parts`] : [],
  };
  const kind = message.type;
  if (kind === "interactive") return { ...base, ...interactive(message, body, choices) };
  if (kind === "template") return { ...base, ...template(message, body, choices) };
  if (kind === "location") return { ...base, text: "", place: place(body.location) };
  if (kind === "contacts") return { ...base, text: "", people: people(body.contacts) };
  const type = fileType(kind);
  if (type) return { ...base, media: media(type, body[type] || { url: body.url, voice: body.type === "voice" }) };
  return { ...base, choices };
}

/** The products of an order, one per line, and the words of the customer. @param {import("../types/whatsapp.js").LetterBody["order"]} order */
function orderText(order) {
  const products = (order?.product_items || []).map((one) => `${one.quantity} × ${one.product_retailer_id}`);
  return [...products, order?.text].filter(Boolean).join("\n");
}

/** @param {PhoneLetter} message @returns {Message} */
export function written(message) {
  const { body, type: kind } = message;
  /** @type {Message} */
  const base = {
    id: message.id,
    own: true,
    time: millis(message.sentTime),
    quote: body.context?.id || null,
    state: message.channel === "SMS" ? null : message.readByBusiness ? "read" : "sent",
    notes: body.context?.forwarded ? ["Forwarded"] : [],
  };
  if (kind === "text") return { ...base, text: body.text?.body };
  if (kind === "button") return { ...base, text: body.button?.text };
  if (kind === "interactive") {
    const reply = body.interactive?.button_reply || body.interactive?.list_reply;
    return { ...base, text: reply?.title || "Reply", footer: reply?.description };
  }
  if (kind === "location") return { ...base, place: place(body.location) };
  if (kind === "contacts") return { ...base, people: people(body.contacts) };
  if (kind === "order") return { ...base, header: "Order", text: orderText(body.order) };
  const type = fileType(kind);
  if (type) return { ...base, text: body[type]?.caption, media: media(type, body[type]) };
  return { ...base, text: "A message of a kind that businesses cannot see" };
}

/** Reactions of both sides by the id of their message. The last one counts. @param {PhoneRecord[]} inbox @param {PhoneLetter[]} outbox */
export function reactions(inbox, outbox) {
  /** @type {Map<string, {own?: string|null, theirs?: string|null}>} */
  const found = new Map();
  /** @param {string|undefined} id @param {"own"|"theirs"} side @param {string|undefined} emoji */
  const note = (id, side, emoji) => {
    if (id) found.set(id, { ...found.get(id), [side]: emoji || null });
  };
  for (const one of inbox) {
    if (one.type === "reaction") {
      note(one.body?.reaction?.message_id || one.body?.reactedTo, "theirs", one.body?.reaction?.emoji ?? one.text);
    }
  }
  for (const one of outbox) {
    if (one.type === "reaction") note(one.body?.reaction?.message_id, "own", one.body?.reaction?.emoji);
  }
  return found;
}
