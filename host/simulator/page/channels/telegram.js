// The phone with Telegram.
import { call } from "../call.js";
import { choose, selection, views } from "../live.js";
import { fileAddress, webAddress } from "./addresses.js";

const person = () => selection.value.telegram.replace(/\D/g, "");
const path = (action = "") => `/telegram/phones/${person()}${action}`;

/** @typedef {import("../types/telegram.js").BotMessage} BotMessage */

/** @type {["photo"|"video"|"animation"|"video_note"|"audio"|"voice"|"document"|"sticker", import("./channel.js").FileKind][]} */
const MEDIA = [
  ["photo", "photo"], ["video", "video"], ["animation", "video"], ["video_note", "video"], ["audio", "audio"], ["voice", "voice"],
  ["document", "document"], ["sticker", "sticker"],
];

/** @param {BotMessage} message @returns {import("./model.js").Media|null} */
function media(message) {
  for (const [field, kind] of MEDIA) {
    const given = message[field];
    const file = Array.isArray(given) ? given.at(-1) : given;
    if (file) return { kind, url: fileAddress(file.file_id), name: file.file_name || file.title };
  }
  return null;
}

/** @param {BotMessage} message @returns {import("./model.js").Place|null} */
function place(message) {
  if (!message.location) return null;
  const { latitude, longitude } = message.location;
  return { latitude, longitude, name: message.venue?.title, address: message.venue?.address };
}

/** @param {BotMessage} message @param {number|null} bot @returns {import("./model.js").Choice[]} */
function choices(message, bot) {
  return (message.reply_markup?.inline_keyboard || []).flat().map((button, index) => {
    const shown = { id: String(index), title: button.text };
    if (!button.callback_data) return { ...shown, local: true, href: webAddress(button.url), note: button.url };
    return { ...shown, local: false, tap: () => call("POST", path("/tap"), { to: bot, button: button.text }) };
  });
}

/** @param {BotMessage} message */
function notes(message) {
  return [...(message.edit_date ? ["edited"] : []), ...(message.dice ? [`shows ${message.dice.value}`] : [])];
}

/** @param {BotMessage} message @param {import("../types/views.js").BotChat} chat @param {number|null} bot @returns {import("./model.js").Message} */
function shownMessage(message, chat, bot) {
  const id = message.message_id;
  const quoted = message.reply_to_message;
  return {
    id: String(id),
    own: !message.from.is_bot,
    time: message.date * 1000,
    text: message.dice ? message.dice.emoji : message.text ?? message.caption,
    big: Boolean(message.dice),
    media: media(message),
    place: place(message),
    people: message.contact ? [{
      name: [message.contact.first_name, message.contact.last_name].filter(Boolean).join(" "), phone: message.contact.phone_number,
    }] : undefined,
    choices: choices(message, bot),
    quote: quoted ? String(quoted.message_id) : null,
    quoted: quoted?.text ?? quoted?.caption,
    reactions: { own: chat.ownReactions[id], theirs: chat.reactions[id]?.[0]?.emoji },
    state: message.from.is_bot ? null : "sent",
    notes: notes(message),
    canEdit: !message.from.is_bot && (message.text !== undefined || message.caption !== undefined),
  };
}

/** @param {import("./channel.js").Draft} what */
function draft(what) {
  switch (what.kind) {
    case "text": return { type: "text", text: what.text };
    case "place": {
      const at = what.place;
      const location = { latitude: at.latitude, longitude: at.longitude, title: at.name, address: at.address };
      return { type: at.name ? "venue" : "location", location };
    }
    case "contact": {
      const [first, ...rest] = what.contact.name.split(" ");
      return { type: "contact", contact: { phone_number: what.contact.phone, first_name: first, last_name: rest.join(" ") } };
    }
    case "dice": case "order": case "link": case "menu": case "unsupported": return { type: what.kind };
    default: return { type: what.kind, base64: what.base64, mimeType: what.mimeType, filename: what.filename };
  }
}

/** The id of a bot, as the phone API takes it. @param {import("./channel.js").Peer|null} peer */
const idOf = (peer) => (peer ? Number(peer.id) : undefined);

/** @type {import("./channel.js").Channel} */
export const telegram = {
  id: "telegram",
  title: "Telegram",
  kinds: ["photo", "video", "voice", "document", "sticker", "place", "contact", "dice"],
  reacts: true,
  quotes: true,
  hints: ["hi", "opening hours"],
  person: () => ({ id: selection.value.telegram, label: views.telegram.value?.person.firstName || selection.value.telegram }),
  state() {
    const [world, view] = [views.world.value, views.telegram.value];
    if (!view) return null;
    const peers = (world?.bots || []).map((one) => ({ id: String(one.id), title: `@${one.username}`, line: "bot" }));
    const peer = peers.find((one) => one.id === String(view.bot)) || null;
    const blocked = view.chat.blocked ? "You have blocked this bot. A message unblocks it." : null;
    return {
      peers,
      peer,
      typing: view.chat.typing,
      messages: view.chat.messages.map((one) => shownMessage(one, view.chat, view.bot)),
      notice: blocked,
      barred: peer ? null : "No bot is connected. `patchbay telegram add` connects one.",
    };
  },
  choosePeer: (id) => choose({ bot: id }),
  send: (what, peer) => call("POST", path("/messages"), {
    to: idOf(peer), quote: what.quote ? Number(what.quote) : undefined, ...draft(what),
  }),
  react: (message, emoji, peer) => call("POST", path("/react"), {
    to: idOf(peer), messageId: Number(message.id), emoji: emoji || undefined,
  }),
  edit: (message, text, peer) => call("POST", path("/edit"), { to: idOf(peer), messageId: Number(message.id), text }),
  settings() {
    const view = views.telegram.value;
    const bot = (views.world.value?.bots || []).find((one) => one.id === view?.bot);
    if (!view) return null;
    /** @type {import("./channel.js").Setting[]} */
    const own = [
      { kind: "text", label: "Id of the person", value: person(), set: (to) => choose({ telegram: to.replace(/\D/g, "") || "5271234567" }) },
      { kind: "text", label: "First name", value: view.person.firstName, set: (firstName) => call("PUT", path(), { firstName }) },
    ];
    if (!bot) return own;
    /** @param {Partial<import("../types/views.js").Bot> & {refuse?: {code: number, description: string, retryAfter?: number, times: number}}} patch */
    const setBot = (patch) => call("POST", `/simulator/telegram/${bot.id}`, patch);
    return [
      ...own,
      { kind: "action", label: "Block the bot", hint: "The next message unblocks it.", set: () => call("POST", path("/block"), { to: bot.id }) },
      { kind: "heading", label: "Faults of this bot" },
      { kind: "switch", label: "Sends are not answered", hint: "They arrive, and the connection ends.", value: bot.silent, set: (silent) => setBot({ silent }) },
      { kind: "switch", label: "Limits are enforced", hint: "One message per second and chat.", value: bot.enforceLimits, set: (enforceLimits) => setBot({ enforceLimits }) },
      { kind: "switch", label: "Token is revoked", value: bot.revoked, set: (revoked) => setBot({ revoked }) },
      { kind: "action", label: "Refuse the next send", set: () => setBot({ refuse: { code: 400, description: "Bad Request: refused by the page", times: 1 } }) },
      { kind: "action", label: "Throttle the next send", hint: "With 429, for two seconds.", set: () => setBot({ refuse: { code: 429, description: "Too Many Requests", retryAfter: 2, times: 1 } }) },
    ];
  },
};
