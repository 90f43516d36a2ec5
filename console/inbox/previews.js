// The last message of each chat in the list. Live events bring it; otherwise it is fetched when the row is shown, a few at a time.
import { signal } from "@preact/signals";
import { api } from "#app/api.js";
import { onEvents } from "#app/live.js";
import { KEPT, forgetUnshown } from "./chats.js";

/** @typedef {import("./types.js").Message} Message */

const AT_ONCE = 4;
/** @type {Map<string, import("@preact/signals").Signal<Message | null | undefined>>} */
const previews = new Map();
/** @type {string[]} */
const waiting = [];
let running = 0;

/** The last message of a chat: `undefined` until it is known, `null` if there is none. @param {string} chat */
export function previewOf(chat) {
  let found = previews.get(chat);
  if (!found) {
    previews.set(chat, (found = signal(undefined)));
    waiting.push(chat);
    queueMicrotask(next);
  }
  return found.value;
}

/** Takes in a message that may be the last one. @param {Message} message */
export function noteLast(message) {
  if (message.reactionTo) return;
  const found = previews.get(message.participantId);
  if (!found) previews.set(message.participantId, signal(message));
  else if (!found.peek() || (found.peek()?.sequenceNumber ?? 0) <= message.sequenceNumber) found.value = message;
}

function next() {
  while (running < AT_ONCE && waiting.length) {
    const chat = waiting.shift() ?? "";
    running += 1;
    api.get("/chat-service/api/v2/messages", { participantId: chat, size: 1 })
      .then(
        (messages) => {
          const found = previews.get(chat);
          if (found && found.peek() === undefined) found.value = messages.at(-1) ?? null;
        },
        () => previews.delete(chat),
      )
      .finally(() => {
        running -= 1;
        next();
      });
  }
}

/** Follows events while the inbox is shown. @returns {() => void} stops it */
export function followPreviews() {
  return onEvents((events) => {
    for (const { message, type } of events) {
      if (message && type !== "chat.rated") noteLast(message);
    }
    if (previews.size > KEPT) forgetUnshown(previews);
  });
}
