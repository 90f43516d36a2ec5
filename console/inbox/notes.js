// Internal notes of a chat with mentions. No customer sees them.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { onEvents, onRestart, onReturn } from "#app/live.js";
import { clockTime, fullTime } from "#app/time.js";
import { viewer } from "#app/session.js";
import { Icon } from "#ui/icons.js";
import { reportFault } from "#ui/toast.js";
import { Text } from "./content.js";
import { people } from "./people.js";

/** @typedef {import("./types.js").Note} Note */

/** The notes of the shown chat, oldest first; `undefined` if the server has no notes, or none for the viewer. @type {import("@preact/signals").Signal<Note[] | undefined>} */
export const notes = signal([]);
let shown = "";

/** @param {string} chat */
const path = (chat) => `/chat-service/api/v2/chats/${chat}/notes`;

async function load() {
  const chat = shown;
  try {
    const page = await api.get(path(chat), { size: 200 });
    if (chat !== shown) return;
    // An event may have brought a note that the page does not have yet.
    const all = new Map([...(notes.peek() ?? []), ...page.content].map((one) => [one.id, one]));
    notes.value = [...all.values()].sort((one, other) => one.createdTime.localeCompare(other.createdTime));
  } catch (error) {
    if (chat !== shown) return;
    if (error instanceof ApiError && (error.status === 404 || error.status === 403)) notes.value = undefined;
    // Without a connection the page says so already, and the notes are loaded when it is back.
    else if (!(error instanceof ApiError && error.status === 0)) reportFault(error);
  }
}

/** Shows the notes of a chat and follows them. @param {string} chat @returns {() => void} stops it */
export function followNotes(chat) {
  shown = chat;
  notes.value = [];
  void load();
  const stopEvents = onEvents((events) => {
    for (const { type, note } of events) {
      if (type === "note.written" && note?.participantId === chat) add(note);
    }
  });
  const stops = [stopEvents, onRestart(() => void load()), onReturn(() => void load())];
  return () => stops.forEach((stop) => stop());
}

/** @param {Note} note */
function add(note) {
  const before = notes.peek() ?? [];
  if (!before.some((one) => one.id === note.id)) notes.value = [...before, note];
}

/** Writes a note. Names after `@` mention their users. @param {string} chat @param {string} text @param {boolean} whisper */
export async function writeNote(chat, text, whisper) {
  const mentions = mentioned(text).map((user) => user.id);
  add(await api.post(path(chat), { text, mentions, ...(whisper ? { whisper } : {}) }));
}

/** The users that a text mentions: after each `@` those with the longest name that fits. @param {string} text */
function mentioned(text) {
  const users = (people.peek()?.users ?? []).filter((user) => user.name);
  const found = text.split("@").slice(1).flatMap((rest) => {
    const named = users.filter(({ name }) => rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length)));
    const longest = Math.max(...named.map(({ name }) => name.length));
    return named.filter(({ name }) => name.length === longest);
  });
  return [...new Set(found)];
}

/** @param {{note: Note}} props */
export function NoteRow({ note }) {
  const me = viewer.value?.id;
  const forMe = note.mentions.some((user) => user.id === me);
  return html`<li class="message note" id=${`m-${note.id}`}><div class=${`bubble ${forMe ? "for-me" : ""}`}>
    <span class="author"><${Icon} name=${note.whisperTo ? "sound" : "note"} size="small" />${note.whisperTo ? t("inbox.whisperFrom", { name: note.author.name ?? "" }) : t("inbox.noteFrom", { name: note.author.name ?? "" })}</span>
    <${Text} text=${note.text} />
    <span class="stamp"><time datetime=${note.createdTime} title=${fullTime(note.createdTime)}>${clockTime(note.createdTime)}</time></span>
  </div></li>`;
}
