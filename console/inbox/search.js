// Chats, contacts and tickets for the command palette.
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { go } from "#app/router.js";
import { nameOf, phone } from "./words.js";

/** @typedef {import("#app/palette.js").Command} Command */

const MOST = 6;

/** @param {string} text @param {AbortSignal} signal @returns {Promise<Command[]>} */
export async function findChats(text, signal) {
  const page = await api.get("/chat-service/api/v2/chats", { scope: "all", search: text, size: MOST }, { signal });
  return page.content.map((/** @type {import("./types.js").Chat} */ chat) => ({ text: nameOf(chat), hint: t(`channels.${chat.channel}`), icon: "chat", run: () => go(`/inbox/all/${chat.id}`) }));
}

/** Leads to the chats of a contact. @param {string} text @param {AbortSignal} signal @returns {Promise<Command[]>} */
export async function findContacts(text, signal) {
  const page = await api.get("/messaging-service/WhatsApp/contacts", { search: text, size: MOST }, { signal });
  return page.content.map((/** @type {any} */ one) => ({ text: one.fullName, hint: phone(one.phoneNumber), icon: "contact", run: () => go("/inbox/all", { search: { q: one.phoneNumber ?? one.fullName } }) }));
}

/** Leads to the chat of a ticket. @param {string} text @param {AbortSignal} signal @returns {Promise<Command[]>} */
export async function findTickets(text, signal) {
  const number = /^#?(\d{1,9})$/.exec(text)?.[1];
  if (!number) return [];
  const ticket = await api.get("/chat-service/ticket/by-ticket-number", { ticketNumber: number }, { signal });
  return [{ text: t("tickets.one", { number: ticket.ticketNumber }), hint: t(`ticket.${ticket.status}`), icon: "ticket", run: () => go(`/inbox/all/${ticket.participantId}`) }];
}
