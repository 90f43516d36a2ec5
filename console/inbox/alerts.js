// Sound and notifications for what an agent must not miss: a message in an own chat, and a chat that begins to wait.
import { t } from "#app/i18n.js";
import { onEvents } from "#app/live.js";
import { preferences } from "#app/preferences.js";
import { go } from "#app/router.js";
import { viewer } from "#app/session.js";
import { stateOf } from "./scopes.js";
import { nameOf, summary } from "./words.js";

const PAUSE_MS = 3000;
/** @type {AudioContext | undefined} */
let audio;
let rang = 0;

/** Two short tones, made here: the policy of the page needs no file of sound. */
function ring() {
  if (!preferences.peek().sound || Date.now() - rang < PAUSE_MS) return;
  rang = Date.now();
  audio ??= new AudioContext();
  const { currentTime, destination } = audio;
  for (const [index, frequency] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const start = currentTime + index * 0.12;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.06, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.16);
    tone.connect(volume).connect(destination);
    tone.start(start);
    tone.stop(start + 0.18);
  }
}

/** Asks the browser for notifications. Returns whether they are allowed. */
export async function allowNotifications() {
  return "Notification" in window && (await Notification.requestPermission()) === "granted";
}

/** @param {string} title @param {string} body @param {string} chat */
function notify(title, body, chat) {
  if (!preferences.peek().notifications || !document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
  const shown = new Notification(title, { body, tag: chat });
  shown.onclick = () => {
    window.focus();
    go(`/inbox/all/${chat}`);
    shown.close();
  };
}

/** Follows events, on every page. @param {() => string} open the id of the shown chat @returns {() => void} stops it */
export function followAlerts(open) {
  return onEvents((events) => {
    const me = viewer.peek()?.id;
    for (const { type, chat, message, from, note } of events) {
      if (!chat) continue;
      const seen = chat.id === open() && !document.hidden;
      if (type === "message.received" && chat.assignedTo?.id === me && !seen) {
        ring();
        notify(nameOf(chat), summary(message), chat.id);
      } else if ((type === "chat.changed" || type === "chat.opened") && stateOf(chat) === "QUEUED") {
        ring();
        notify(t("alerts.waits"), nameOf(chat), chat.id);
      } else if (type === "chat.changed" && chat.assignedTo?.id === me && from?.agent?.id !== me && !seen) {
        ring();
        notify(t("alerts.yours"), nameOf(chat), chat.id);
      } else if (type === "note.written" && note?.mentions.some((/** @type {{id: string}} */ user) => user.id === me)) {
        ring();
        notify(t("alerts.mentioned", { name: note.author.name ?? "" }), note.text, chat.id);
      }
    }
  });
}
