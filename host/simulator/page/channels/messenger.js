// The phone with Messenger.
import { call } from "../call.js";
import { choose, selection, views } from "../live.js";
import { messengerFile, millis, webAddress } from "./addresses.js";
import { inOrder } from "./model.js";

const path = (action = "") => `/messenger/phones/${selection.value.messenger.replace(/\D/g, "")}${action}`;
/** @param {Partial<import("../types/views.js").PageVisitor> & {wroteSecondsAgo?: number}} patch */
const change = (patch) => call("PUT", path(), patch);
/** @type {Map<string|undefined, import("./channel.js").FileKind>} */
const MEDIA = new Map([["image", "photo"], ["video", "video"], ["audio", "audio"], ["file", "document"]]);

/**
 * Buttons of templates. A postback goes to the page; the others stay on the phone.
 * @param {import("../types/messenger.js").PageButton[]|undefined} all @param {string} pageId @returns {import("./model.js").Choice[]}
 */
function buttons(all, pageId) {
  return (all || []).map((button, index) => {
    const { title, payload } = button;
    if (button.type === "postback") {
      return { id: String(index), title, local: false, tap: () => call("POST", path("/postback"), { to: pageId, title, payload }) };
    }
    return { id: String(index), title, local: true, href: webAddress(button.url), note: button.url || payload };
  });
}

/** @param {import("../types/messenger.js").Attachment} part @param {string} pageId @returns {Partial<import("./model.js").Message>} */
function attachment(part, pageId) {
  const payload = part.payload || {};
  const kind = MEDIA.get(part.type);
  if (kind) return { text: undefined, media: { kind: payload.sticker_id ? "sticker" : kind, url: messengerFile(payload.url) } };
  if (part.type === "location") {
    const at = payload.coordinates || {};
    return { text: undefined, place: { latitude: Number(at.lat), longitude: Number(at.long), name: part.title } };
  }
  if (part.type === "template" && payload.elements) {
    /** @type {import("./model.js").Card[]} */
    const cards = payload.elements.map((element) => ({
      title: element.title,
      text: element.subtitle || "",
      media: element.image_url ? { kind: "photo", url: messengerFile(element.image_url) } : null,
      choices: buttons(element.buttons, pageId),
    }));
    return { text: undefined, cards };
  }
  if (part.type === "template") return { text: payload.text || "A template", choices: buttons(payload.buttons, pageId) };
  if (part.type === "fallback") return { text: `${part.title || "Link"}\n${part.url || ""}` };
  return { text: "Something that pages cannot see" };
}

/** @param {import("../types/views.js").ThreadEntry} one @returns {import("./model.js").Message} */
function message(one) {
  const body = one.body;
  const parts = body.attachments || (body.attachment ? [body.attachment] : []);
  /** @type {import("./model.js").Message} */
  const base = {
    id: one.id,
    own: one.mine,
    time: millis(one.time),
    text: body.text ?? (parts.length ? undefined : one.text),
    quote: body.reply_to?.mid || null,
    unread: !one.mine && one.status !== "read",
    state: !one.mine && one.status === "sent" ? "waiting" : null,
    reactions: { own: one.reaction, theirs: one.pageReaction },
    chips: (one.buttons || []).map((reply, index) => ({
      id: String(index), title: reply.title,
      tap: () => call("POST", path("/tap"), { messageId: one.id, button: reply.payload }),
    })),
    notes: parts.length > 1 ? [`${parts.length} files`] : [],
  };
  if (!parts.length) return base;
  const shown = attachment(parts[0], one.pageId);
  return { ...base, ...shown, text: base.text ?? shown.text };
}

/** @type {Record<import("./channel.js").FileKind, string>} */
const TYPES = { photo: "image", video: "video", voice: "audio", audio: "audio", document: "file", sticker: "sticker" };

/** @param {import("./channel.js").Draft} what */
function draft(what) {
  switch (what.kind) {
    case "text": return { type: "text", text: what.text };
    case "place": return { type: "location", location: { lat: what.place.latitude, long: what.place.longitude, title: what.place.name } };
    case "link": return { type: "fallback" };
    case "contact": case "order": case "dice": case "menu": case "unsupported": return { type: "unsupported" };
    default: return { type: TYPES[what.kind], base64: what.base64, mimeType: what.mimeType, filename: what.filename };
  }
}

/** @type {import("./channel.js").Channel} */
export const messenger = {
  id: "messenger",
  title: "Messenger",
  kinds: ["photo", "video", "voice", "document", "sticker", "place", "link", "menu", "unsupported"],
  reacts: true,
  quotes: true,
  hints: ["hi", "opening hours"],
  person: () => ({ id: selection.value.messenger, label: views.messenger.value
    ? `${views.messenger.value.person.firstName} ${views.messenger.value.person.lastName}` : selection.value.messenger }),
  state() {
    const [world, view] = [views.world.value, views.messenger.value];
    if (!view) return null;
    const peers = (world?.pages || []).map((one) => ({ id: one.pageId, title: one.name, line: "Facebook page" }));
    const peer = peers.find((one) => one.id === selection.value.page) || peers[0] || null;
    const shown = inOrder(view.messages.filter((one) => !peer || one.pageId === peer.id).map(message));
    const last = shown.findLast((one) => one.own);
    return {
      peers,
      peer,
      typing: view.person.typing,
      messages: shown.map((one) => (one.own ? { ...one, state: one === last && view.person.seen ? "read" : "sent" } : one)),
      barred: peer ? null : "No page is connected. `patchbay page add` connects one.",
    };
  },
  choosePeer: (id) => choose({ page: id }),
  send(what, peer) {
    if (what.kind === "menu") return call("POST", path("/postback"), { to: peer?.id, title: "Get started", payload: "GET_STARTED" });
    return call("POST", path("/messages"), { to: peer?.id, quote: what.quote, ...draft(what) });
  },
  react: (one, emoji) => call("POST", path("/react"), { messageId: one.id, emoji: emoji || undefined }),
  read: () => call("POST", path("/read"), {}),
  deliver: () => call("POST", path("/deliver"), {}),
  settings() {
    const person = views.messenger.value?.person;
    const known = (views.world.value?.people || []).map((one) => ({ id: one.psid, label: `${one.firstName} ${one.lastName}` }));
    if (!person) return null;
    return [
      { kind: "text", label: "Id of the person", value: person.psid, options: known, set: (to) => choose({ messenger: to.replace(/\D/g, "") || "24071234567" }) },
      { kind: "text", label: "First name", value: person.firstName, set: (firstName) => change({ firstName }) },
      { kind: "text", label: "Last name", value: person.lastName, set: (lastName) => change({ lastName }) },
      { kind: "switch", label: "Name is public", value: person.named, set: (named) => change({ named }) },
      { kind: "switch", label: "Switched on", hint: "Off: messages wait until “Deliver”.", value: person.autoDeliver, set: (autoDeliver) => change({ autoDeliver }) },
      { kind: "switch", label: "Reads at once", value: person.autoRead, set: (autoRead) => change({ autoRead }) },
      { kind: "heading", label: "Faults of this person" },
      { kind: "switch", label: "Can be reached", hint: "Off: sends are refused with 551.", value: person.available, set: (available) => change({ available }) },
      { kind: "switch", label: "Sends time out", hint: "The message arrives, the answer to the sender takes 60 seconds.", value: person.timeout, set: (timeout) => change({ timeout }) },
      { kind: "action", label: "Refuse the next send", set: () => change({ rejectWith: { status: 400, code: 613, times: 1 } }) },
      { kind: "action", label: "Close the 24-hour window", hint: "As if the person wrote a day ago.", set: () => change({ wroteSecondsAgo: 90000 }) },
    ];
  },
};
