// The phone with WhatsApp.
import { call } from "../call.js";
import { choose, selection, views } from "../live.js";
import { number } from "./addresses.js";
import { inOrder } from "./model.js";
import { reactions, received, written } from "./whatsapp_message.js";

const path = (action = "") => `/phones/${selection.value.whatsapp.replace(/\D/g, "")}${action}`;
/** @param {Partial<import("../types/views.js").SimulatedPhone>} patch */
const change = (patch) => call("PUT", path(), patch);

/** The businesses that the phone can write to: numbers of the Graph API and Lite devices. @param {import("../types/views.js").WorldView|null} world */
function peers(world) {
  const numbers = (world?.numbers || []).map((one) => ({ id: one.number, title: one.verifiedName, line: number(one.number) }));
  const devices = (world?.devices || []).map((one) => ({ id: one, title: "WhatsApp Lite", line: number(one) }));
  return [...numbers, ...devices.filter((one) => numbers.every((known) => known.id !== one.id))];
}

/** @type {Record<import("./channel.js").FileKind, string>} */
const TYPES = { photo: "image", video: "video", voice: "audio", audio: "audio", document: "document", sticker: "sticker" };

/** @param {import("./channel.js").Draft} what */
function draft(what) {
  switch (what.kind) {
    case "text": return { type: "text", text: what.text };
    case "place": return { type: "location", location: what.place };
    case "contact": {
      const { name: whole, phone } = what.contact;
      const [first, ...rest] = whole.split(" ");
      const name = { formatted_name: whole, first_name: first, last_name: rest.join(" ") };
      return { type: "contacts", contacts: [{ name, phones: [{ phone, type: "CELL" }] }] };
    }
    // The simulator has a sample of an order.
    case "order": return { type: "order" };
    case "dice": case "link": case "menu": case "unsupported": return { type: "unsupported" };
    default: return { type: TYPES[what.kind], base64: what.base64, mimeType: what.mimeType, filename: what.filename, voice: what.kind === "voice" };
  }
}

/** @type {import("./channel.js").Channel} */
export const whatsapp = {
  id: "whatsapp",
  title: "WhatsApp",
  kinds: ["photo", "video", "voice", "document", "sticker", "place", "contact", "order", "unsupported"],
  reacts: true,
  quotes: true,
  hints: ["hi", "opening hours", "I want a person"],
  person: () => ({ id: selection.value.whatsapp, label: views.whatsapp.value?.phone.name || number(selection.value.whatsapp) }),
  state() {
    const [world, view] = [views.world.value, views.whatsapp.value];
    const known = peers(world);
    const peer = known.find((one) => one.id === selection.value.whatsappPeer) || known[0] || null;
    if (!view) return null;
    const inbox = view.inbox.filter((one) => one.channel === "WHATSAPP" && (!peer || one.from === peer.id));
    const outbox = view.outbox.filter((one) => one.channel === "WHATSAPP" && (!peer || one.to === peer.id));
    const seen = reactions(inbox, outbox);
    /** @type {Parameters<typeof received>[1]} */
    const tap = (messageId) => (what) => call("POST", path("/tap"), { messageId, ...what });
    const shown = [
      ...inbox.filter((one) => one.type !== "reaction").map((one) => received(one, tap)),
      ...outbox.filter((one) => one.type !== "reaction").map(written),
    ];
    return {
      peers: known,
      peer,
      typing: view.phone.typing,
      messages: inOrder(shown).map((one) => ({ ...one, reactions: seen.get(one.id) })),
      barred: view.phone.onWhatsApp ? null : "This phone is not on WhatsApp, so it cannot write here.",
    };
  },
  choosePeer: (id) => choose({ whatsappPeer: id }),
  send: (what, peer) => call("POST", path("/messages"), { to: peer?.id, quote: what.quote, ...draft(what) }),
  react: (message, emoji, peer) => call("POST", path("/messages"), {
    to: peer?.id, type: "reaction", reaction: { messageId: message.id, emoji: emoji || "" },
  }),
  read: () => call("POST", path("/read"), {}),
  play: (message) => call("POST", path("/play"), { messageId: message.id }),
  deliver: () => call("POST", path("/deliver"), {}),
  settings() {
    const phone = views.whatsapp.value?.phone;
    const known = (views.world.value?.phones || []).map((one) => ({ id: one.msisdn, label: one.name }));
    if (!phone) return null;
    return [
      { kind: "text", label: "Number of the phone", value: phone.msisdn, options: known, set: (to) => choose({ whatsapp: to.replace(/\D/g, "") || "27820000001" }) },
      { kind: "text", label: "Name of the person", value: phone.name, set: (name) => change({ name }) },
      { kind: "switch", label: "On WhatsApp", value: phone.onWhatsApp, set: (onWhatsApp) => change({ onWhatsApp }) },
      { kind: "switch", label: "Switched on", hint: "Off: messages wait until “Deliver”.", value: phone.autoDeliver, set: (autoDeliver) => change({ autoDeliver }) },
      { kind: "switch", label: "Reads at once", value: phone.autoRead, set: (autoRead) => change({ autoRead }) },
      { kind: "switch", label: "Hides its number", hint: "Businesses see only a user id.", value: phone.hidePhone, set: (hidePhone) => change({ hidePhone }) },
      { kind: "heading", label: "Faults of this phone" },
      { kind: "switch", label: "Sends time out", hint: "The message arrives, the answer to the sender takes 60 seconds.", value: phone.timeout, set: (timeout) => change({ timeout }) },
      { kind: "number", label: "Fail later with code", hint: "Such as 131026. Empty: no failure.", value: phone.failWith, set: (failWith) => change({ failWith }) },
      { kind: "number", label: "Refuse sends with code", hint: "Such as 131056. Empty: none is refused.", value: phone.rejectWith?.code,
        set: (code) => change({ rejectWith: code === null ? null : { status: 400, code } }) },
    ];
  },
};
