// Texts about chats and messages that several parts of the inbox show.
import { t } from "#app/i18n.js";
import { stateOf } from "./scopes.js";

/** @typedef {import("./types.js").Chat} Chat */
/** @typedef {import("./types.js").Message} Message */

/** The name of the customer, otherwise the best address. @param {Chat} chat */
export function nameOf(chat) {
  return chat.name || chat.username || phone(chat.phoneNumber) || chat.userId || t("inbox.unknownCustomer");
}

/** A number in international form; masked numbers stay as they are. @param {string | undefined | null} digits */
export function phone(digits) {
  if (!digits) return "";
  return /^\d+$/.test(digits) ? `+${digits}` : digits;
}

/** The address of an inbox: a number, or the id of a page, a bot or a site. @param {string} channel @param {string | undefined | null} address */
export function inboxAddress(channel, address) {
  return channel === "WHATSAPP" || channel === "SMS" ? phone(address) : (address ?? "");
}

/** @param {string} channel */
export function channelName(channel) {
  return t(`channels.${channel}`);
}

/** Letters that stand for a channel in a narrow list. @type {Record<string, string>} */
export const CHANNEL_MARKS = { WHATSAPP: "WA", SMS: "SMS", FACEBOOK: "FB", TELEGRAM: "TG", WEB: "Web" };

/** The owner of a chat as a text. @param {Chat} chat @param {string} me id of the viewer */
export function ownerText(chat, me) {
  switch (stateOf(chat)) {
    case "ACTIVE": return chat.assignedTo?.id === me ? t("inbox.owner.you") : (chat.assignedTo?.name ?? "");
    case "BOT": return t("inbox.owner.bot");
    case "QUEUED": return chat.teamName ? t("inbox.owner.team", { team: chat.teamName }) : t("inbox.owner.queue");
    default: return t("inbox.owner.closed");
  }
}

/** A message in one line. @param {Message | import("./types.js").Preview} message */
export function summary(message) {
  if (message.deleted) return t("inbox.deleted");
  if (message.text) return message.text;
  return t(`content.${message.contentType}`);
}
