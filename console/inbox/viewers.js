// The other users who look at the shown chat or write in it. Tells them about the viewer, too.
import { signal } from "@preact/signals";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { onEvents } from "#app/live.js";
import { viewer } from "#app/session.js";

/** @typedef {import("./types.js").Viewer} Viewer */

const LOOKS_MS = 20_000;
const WRITES_MS = 5_000;
/** After this pause the viewer no longer writes. The server is told, because the other pages do not learn that it forgets a writer after 8 s. */
const PAUSE_MS = 2_500;
/** The other viewers. @type {import("@preact/signals").Signal<Viewer[]>} */
export const others = signal([]);
let supported = true;
let shown = "";
let wrote = 0;
/** The server hears of a pause after it has heard of the writing. @type {Promise<void>} */
let told = Promise.resolve();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;

/** @param {boolean} writing */
function tell(writing) {
  const chat = shown;
  told = told.then(() => send(chat, writing));
}

/** @param {string} chat @param {boolean} writing */
async function send(chat, writing) {
  if (!supported || !chat || chat !== shown || document.hidden) return;
  try {
    const answer = await api.post(`/chat-service/api/v2/chats/${chat}/viewers`, { writing });
    if (chat === shown) take(answer.viewers);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) supported = false;
  }
}

/** @param {Viewer[]} viewers */
function take(viewers) {
  others.value = viewers.filter((one) => one.id !== viewer.peek()?.id);
}

/** Tells that the viewer looks at a chat, until it is left. @param {string} chat @returns {() => void} leaves it */
export function lookAt(chat) {
  shown = chat;
  others.value = [];
  tell(false);
  const timer = setInterval(() => tell(Date.now() - wrote < WRITES_MS), LOOKS_MS);
  const stopEvents = onEvents((events) => {
    for (const event of events) {
      if (event.type === "chat.viewers" && event.chat?.id === chat) take(event.viewers ?? []);
    }
  });
  return () => {
    clearInterval(timer);
    stopEvents();
    if (supported) told = told.then(() => api.remove(`/chat-service/api/v2/chats/${chat}/viewers`).catch(() => {}));
    clearTimeout(pause);
    wrote = 0;
    shown = "";
    others.value = [];
  };
}

/** Tells that the viewer writes, at most every five seconds, and that it paused. */
export function writeIn() {
  clearTimeout(pause);
  pause = setTimeout(endWriting, PAUSE_MS);
  if (Date.now() - wrote < WRITES_MS) return;
  wrote = Date.now();
  tell(true);
}

/** Tells that the viewer no longer writes. */
export function endWriting() {
  clearTimeout(pause);
  if (!wrote) return;
  wrote = 0;
  tell(false);
}
