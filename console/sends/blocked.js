// The blocklist, for the check before a send. The server rejects blocked recipients in any case.
import { api } from "#app/api.js";

const SIZE = 200;
/** Longer lists are left to the server. */
const MOST_PAGES = 10;

/** The blocked recipients, without `+`. @param {AbortSignal} signal @returns {Promise<Set<string>>} */
export async function loadBlocked(signal) {
  /** @type {Set<string>} */
  const found = new Set();
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const list = await api.get("/messaging-service/WhatsApp/blocklist", { page, size: SIZE }, { signal });
    for (const one of list.content) found.add(one.recipient.replace(/^\+/, ""));
    if (list.last) break;
  }
  return found;
}
