// Drafts of answers and notes, one of each kind per chat, kept for this tab and this user.
import { signal } from "@preact/signals";
import { viewer } from "#app/session.js";

const STORED = "patchbay.drafts";

/** @returns {Record<string, string>} */
function read() {
  try {
    const { user, texts } = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
    return user === viewer.peek()?.id ? (texts ?? {}) : {};
  } catch {
    return {};
  }
}

/** @type {import("@preact/signals").Signal<Record<string, string>>} */
const drafts = signal(read());

/** The draft for a chat, or an empty text. Drafts of notes have their kind before the id. @param {string} chat */
export function draftOf(chat) {
  return drafts.value[chat] ?? "";
}

/** @param {string} chat @param {string} text */
export function keepDraft(chat, text) {
  const { [chat]: before, ...others } = drafts.peek();
  if ((before ?? "") === text) return;
  drafts.value = text ? { ...others, [chat]: text } : others;
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ user: viewer.peek()?.id, texts: drafts.value }));
  } catch {
    // A draft that does not fit stays in memory.
  }
}
