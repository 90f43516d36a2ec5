// Finds messages by any of their names: `gstId`, `ctId`, phone number or user id, and `batchId`.
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";

/** @typedef {{gstId: string, ctId?: string | null, batchId?: string | null, channel: string, createdTime: string, receiver?: string | null, recipientUserId?: string | null, status: string}} Found */
/** @typedef {{how: "gstId" | "ctId" | "recipient" | "batchId", messages: Found[], more: boolean, batchId?: string}} FoundGroup */

const MESSAGES = "/messaging-service/WhatsApp/messages";
const SHOWN = 50;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const NUMBER = /^\+?\d[\d\s().-]{5,20}$/;
const USER_ID = /^[A-Z]{2}\.\w+$/;

/** The list of the messages of a batch. @param {string} batch */
export function messagesOf(batch) {
  return `/whatsapp-api-service/v2/batches/${batch}/messages`;
}

/** The answer, or nothing if the server does not know it or cannot read the name. @template T @param {Promise<T>} asked @returns {Promise<T | null>} */
async function orNothing(asked) {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return null;
    throw error;
  }
}

/** @param {string} text @param {AbortSignal} signal @returns {Promise<FoundGroup[]>} */
export async function find(text, signal) {
  const list = (/** @type {import("#app/api.js").Query} */ query) => orNothing(api.get(MESSAGES, { ...query, size: SHOWN }, { signal }));
  const isId = UUID.test(text);
  const recipient = NUMBER.test(text) ? text.replace(/[\s().-]/g, "") : USER_ID.test(text) ? text : "";
  const [story, byClient, byRecipient, batch] = await Promise.all([
    orNothing(api.get(`${MESSAGES}/${encodeURIComponent(text)}`, undefined, { signal })),
    list({ ctId: text }),
    recipient ? list({ recipient }) : null,
    isId ? orNothing(api.get(messagesOf(text), { size: SHOWN }, { signal })) : null,
  ]);
  /** @type {FoundGroup[]} */
  const groups = [];
  if (story) groups.push({ how: "gstId", more: false, messages: [{ ...story, createdTime: story.timeline[0]?.time ?? "" }] });
  if (byClient?.content.length) groups.push({ how: "ctId", more: !byClient.last, messages: byClient.content });
  if (byRecipient?.content.length) groups.push({ how: "recipient", more: !byRecipient.last, messages: byRecipient.content });
  if (batch) groups.push({ how: "batchId", more: !batch.last, messages: batch.content, batchId: text });
  return groups;
}

/** @param {string} id @param {AbortSignal} signal */
export function story(id, signal) {
  return api.get(`${MESSAGES}/${encodeURIComponent(id)}`, undefined, { signal });
}
