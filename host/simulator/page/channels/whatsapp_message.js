// Messages of WhatsApp: those of a business (a request to the Graph API, or of a Lite device) and those of a phone.
import { fileAddress, millis, webAddress } from "./addresses.js";

const MEDIA = { image: "photo", video: "video", audio: "audio", voice: "voice", document: "document", sticker: "sticker" };

function media(kind, part) {
  if (!part) return null;
  const shown = kind === "audio" && part.voice ? "voice" : MEDIA[kind];
  const url = part.id ? fileAddress(part.id) : webAddress(part.link || part.url);
  return { kind: shown, url, name: part.filename };
}

function place(part) {
  return part && {
    latitude: Number(part.latitude), longitude: Number(part.longitude), name: part.name, address: part.address,
  };
}

function people(contacts) {
  return (contacts || []).map((one) => ({
    name: one.name?.formatted_name || one.name?.first_name || "Contact", phone: one.phones?.[0]?.phone,
  }));
}

function choice(button, tap) {
  const local = button.kind === "local";
  return {
    id: `${button.card ?? ""}:${button.index}`,
    title: button.title,
    description: button.description,
    local,
    href: local ? webAddress(button.id) : null,
    note: local ? button.id : undefined,
    tap: local ? undefined : () => tap({ button: button.id, card: button.card }),
  };
}

/** The media in the header of an interactive message or a template. */
function headerMedia(header) {
  const kind = header?.type;
  return kind && MEDIA[kind] ? media(kind, header[kind]) : null;
}

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

function template(message, body, choices) {
  const components = body.template?.components || [];
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
  const beside = choices.filter((one) => one.id.startsWith(":"));
  return { media: headerMedia(named("header")?.parameters?.[0]), text, cards, choices: beside };
}

/** @returns {import("./model.js").Message} */
export function received(message, tap) {
  const body = message.body || {};
  const choices = (message.buttons || []).map((button) => choice(button, tap(message.id)));
  /** @type {import("./model.js").Message} */
  const base = {
    id: message.id,
    own: false,
    time: millis(message.receivedTime),
    text: message.text,
    quote: body.context?.message_id || body.quoted || null,
    state: message.status === "sent" ? "waiting" : null,
    unread: message.channel === "WHATSAPP" && (message.status === "delivered" || message.status === "sent"),
    notes: message.parts > 1 ? [`${message.parts} parts`] : [],
  };
  const kind = message.type;
  if (kind === "interactive") return { ...base, ...interactive(message, body, choices) };
  if (kind === "template") return { ...base, ...template(message, body, choices) };
  if (kind === "location") return { ...base, text: "", place: place(body.location) };
  if (kind === "contacts") return { ...base, text: "", people: people(body.contacts) };
  if (MEDIA[kind]) {
    const part = body[kind] || { url: body.url, voice: body.type === "voice" };
    return { ...base, media: media(kind, part) };
  }
  return { ...base, choices };
}

/** The products of an order, one per line, and the words of the customer. */
function orderText(order) {
  const products = (order?.product_items || []).map((one) => `${one.quantity} × ${one.product_retailer_id}`);
  return [...products, order?.text].filter(Boolean).join("\n");
}

/** @returns {import("./model.js").Message} */
export function written(message) {
  const body = message.body || {};
  const kind = message.type;
  const part = body[kind];
  /** @type {import("./model.js").Message} */
  const base = {
    id: message.id,
    own: true,
    time: millis(message.sentTime),
    quote: body.context?.id || null,
    state: message.channel === "SMS" ? null : message.readByBusiness ? "read" : "sent",
    notes: body.context?.forwarded ? ["Forwarded"] : [],
  };
  if (kind === "text") return { ...base, text: part?.body };
  if (kind === "button") return { ...base, text: part?.text };
  if (kind === "interactive") {
    const reply = part?.button_reply || part?.list_reply || {};
    return { ...base, text: reply.title || "Reply", footer: reply.description };
  }
  if (kind === "location") return { ...base, place: place(part) };
  if (kind === "contacts") return { ...base, people: people(part) };
  if (kind === "order") return { ...base, header: "Order", text: orderText(part) };
  if (MEDIA[kind]) return { ...base, text: part?.caption, media: media(kind, part) };
  return { ...base, text: "A message of a kind that businesses cannot see" };
}

/** Reactions of both sides by the id of their message. The last one counts. */
export function reactions(inbox, outbox) {
  const found = new Map();
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
