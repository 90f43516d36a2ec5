// Facts that several pages of plugins need: addresses, words, inboxes, sizes.
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { milliseconds as inMilliseconds, number } from "#app/numbers.js";

/** @typedef {import("./types.js").Activation} Activation */
/** @typedef {import("./types.js").Inbox} Inbox */
/** @typedef {import("./types.js").Plugin} Plugin */

export const PLUGINS = "/plugin-service/api/v1/plugins";
const NUMBERS = "/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser";

/** The outcomes of calls that are no failure of the plugin. */
const GOOD = new Set(["answered"]);

/** @param {string} name @param {string} [rest] */
export function addressOf(name, rest = "") {
  return `${PLUGINS}/${encodeURIComponent(name)}${rest}`;
}

/** @param {string} outcome */
export function failed(outcome) {
  return !GOOD.has(outcome);
}

/** The numbers of the client, for activations of one inbox. @param {AbortSignal} [signal] @returns {Promise<Inbox[]>} */
export async function listInboxes(signal) {
  const page = await api.get(NUMBERS, { size: 500 }, { signal });
  return page.content.map((/** @type {any} */ one) => ({ id: one.whatsAppNumber?.id ?? one.id, number: one.whatsAppNumber?.number ?? one.id }));
}

/** The name of the place of an activation. @param {string | null} id @param {Inbox[]} inboxes */
export function placeName(id, inboxes) {
  if (!id) return t("plugins.allInboxes");
  return inboxes.find((one) => one.id === id)?.number ?? id;
}

/** @param {number | null | undefined} version */
export function versionName(version) {
  return version ? t("plugins.versionShort", { version }) : t("plugins.builtIn");
}

/** @param {number} bytes */
export function sizeOf(bytes) {
  return bytes < 1024 * 1024 ? `${number(Math.max(1, bytes / 1024))} KiB` : `${number(bytes / 1024 / 1024, 1)} MiB`;
}

/** @param {number} micros */
export function milliseconds(micros) {
  return inMilliseconds(micros / 1000);
}

/** The names of the secrets of a configuration. The API has JSON pointers. @param {Activation} activation */
export function secretNames(activation) {
  return activation.secrets.map((one) => one.replace(/^\//, "")).join(", ");
}

/** Whether the shown configuration is not the whole one: secrets are left out, and shared ones are only named. @param {Activation} activation */
export function hasSecrets(activation) {
  return activation.secrets.length > 0 || JSON.stringify(activation.config).includes('{"$secret":');
}

/** The scope of a request about an activation. @param {Activation} activation */
export function scopeOf(activation) {
  return activation.whatsAppNumberId ? { whatsAppNumberId: activation.whatsAppNumberId } : {};
}

/** Activations of one place in the order live, canary, shadow. @param {Activation[]} activations */
export function sorted(activations) {
  const order = ["live", "canary", "shadow"];
  return [...activations].sort((left, right) => order.indexOf(left.mode) - order.indexOf(right.mode));
}

/** Activations by their place: all inboxes first. @param {Activation[]} activations */
export function byPlace(activations) {
  /** @type {Map<string, Activation[]>} */
  const places = new Map();
  for (const one of activations) {
    const key = one.whatsAppNumberId ?? "";
    places.set(key, [...(places.get(key) ?? []), one]);
  }
  return [...places.entries()].sort(([left], [right]) => left.localeCompare(right));
}

/** The first words of a recorded or tried action, for lists. @param {any} action */
export function actionText(action) {
  const { type, ...rest } = action;
  const text = rest.text ?? rest.state ?? rest.team ?? rest.tag ?? rest.name ?? rest.caption ?? rest.url;
  if (text !== undefined && text !== null) return String(text);
  return Object.keys(rest).length ? JSON.stringify(rest) : "";
}

/** The words for the question of a chatbot. @param {any} event */
export function eventText(event) {
  const content = event?.message?.content;
  if (content) return content.text ?? content.title ?? content.caption ?? content.url ?? content.type;
  return event?.name ?? event?.score ?? "";
}
