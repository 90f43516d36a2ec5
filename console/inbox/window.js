// The time in which free-form messages to a customer are allowed.
import { minute } from "#app/time.js";
import { providers } from "./people.js";

const HOUR = 3_600_000;

/**
 * The window of a chat: `none` if its channel has none, otherwise the milliseconds that are left, 0 if it is closed. `undefined`: not
 * known yet.
 * @param {import("./types.js").Chat} chat
 * @param {string} lastIncoming time of the customer's last message, or empty
 * @returns {"none" | number | undefined}
 */
export function windowOf(chat, lastIncoming) {
  const hours = windowHours(chat);
  if (!hours) return "none";
  if (!lastIncoming) return undefined;
  return Math.max(0, new Date(lastIncoming).getTime() + hours * HOUR - minute.value);
}

/** WhatsApp Cloud has 24 hours, Messenger 7 days for answers of agents. @param {import("./types.js").Chat} chat */
function windowHours(chat) {
  if (chat.channel === "FACEBOOK") return 7 * 24;
  if (chat.channel !== "WHATSAPP") return 0;
  return providers.value[chat.whatsAppNumber ?? chat.inbox ?? ""] === "WHATSAPP_LITE" ? 0 : 24;
}
