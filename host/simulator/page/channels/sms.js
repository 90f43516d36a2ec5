// The phone with text messages only.
import { call } from "../call.js";
import { choose, selection, views } from "../live.js";
import { number } from "./addresses.js";
import { inOrder } from "./model.js";
import { received, written } from "./whatsapp_message.js";

const USUAL = "PATCHBAY";
const path = (action = "") => `/phones/${selection.value.sms.replace(/\D/g, "")}${action}`;

/** The senders with which the phone has messages, and the usual one. @param {Pick<import("../types/views.js").PhoneView, "inbox"|"outbox">} view */
function peers(view) {
  const known = new Set([...view.inbox.map((one) => one.from), ...view.outbox.map((one) => one.to), USUAL]);
  return [...known].map((one) => ({ id: one, title: number(one), line: "Text message" }));
}

/** @type {import("./channel.js").Channel} */
export const sms = {
  id: "sms",
  title: "SMS",
  kinds: [],
  reacts: false,
  quotes: false,
  hints: [],
  empty: "SMS of the business arrive here: from the SMS API, or as a fallback if this phone is not on WhatsApp. The bot then answers here, too.",
  person: () => ({ id: selection.value.sms, label: number(selection.value.sms) }),
  state() {
    const view = views.sms.value;
    if (!view) return null;
    const texts = {
      inbox: view.inbox.filter((one) => one.channel === "SMS"),
      outbox: view.outbox.filter((one) => one.channel === "SMS"),
    };
    const known = peers(texts);
    const newest = texts.inbox.at(-1)?.from;
    const peer = known.find((one) => one.id === (selection.value.smsPeer || newest || USUAL)) || known[0];
    const tap = () => async () => {};
    return {
      peers: known,
      peer,
      typing: false,
      barred: null,
      messages: inOrder([
        ...texts.inbox.filter((one) => one.from === peer.id).map((one) => received(one, tap)),
        ...texts.outbox.filter((one) => one.to === peer.id).map(written),
      ]),
    };
  },
  choosePeer: (id) => choose({ smsPeer: id }),
  async send(what, peer) {
    if (what.kind === "text") await call("POST", path("/sms"), { to: peer?.id, text: what.text });
  },
  settings() {
    const phone = views.sms.value?.phone;
    const known = (views.world.value?.phones || []).map((one) => ({ id: one.msisdn, label: one.name }));
    const states = ["DELIVRD", "UNDELIV", "EXPIRED", "REJECTD", "DELETED", "UNKNOWN", "NONE"];
    if (!phone) return null;
    return [
      { kind: "text", label: "Number of the phone", value: phone.msisdn, options: known, set: (to) => choose({ sms: to.replace(/\D/g, "") || "27820000001", smsPeer: "" }) },
      { kind: "choice", label: "State in receipts", hint: "NONE: no receipt comes.", value: phone.smsState || "",
        options: [{ id: "", label: "as usual" }, ...states.map((id) => ({ id, label: id }))],
        set: (state) => call("PUT", path(), { smsState: state || null }) },
    ];
  },
};
