// Calls about webhooks (docs/webhooks.md).
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";

const HOOKS = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
const LISTENER = "/messaging-service/WhatsApp/webhook-listener";

/**
 * @typedef {{id: string, whatsAppNumberId?: string | null, whatsAppNumberMsisdn?: string | null, incomingMessageURL: string, statusUpdateURL: string,
 *   sessionStatusURL: string, eventWebhookURL: string, chatbotWebhookURL: string, chatbotIncludeOutgoing: boolean, chatbotStopOnAgentAssignment: boolean,
 *   chatbotPayloadVersion: string}} Configuration
 * @typedef {{webhookType: string, url: string, state: string, disabledReason?: string, disabledTime?: string, failingSince?: string, failedDeliveries: number, waitingDeliveries: number}} Health
 * @typedef {{id: string, deliveryId: string, webhookType?: string, attempt: number, time: string, durationMillis: number, statusCode?: number, error?: string, response?: string}} Attempt
 * @typedef {{id: string, webhookType: string, state: string, createdTime: string, nextAttemptTime?: string, whatsAppNumber?: string, body?: string, attempts: Attempt[]}} Delivery
 * @typedef {{id: string, number?: number, webhookType: string, body: string, headers: Record<string, string>}} Heard
 */

/** Each type of webhook with its field in the configuration. @type {Array<[string, "incomingMessageURL" | "statusUpdateURL" | "chatbotWebhookURL" | "sessionStatusURL" | "eventWebhookURL"]>} */
export const TYPES = [
  ["INCOMING_MESSAGE", "incomingMessageURL"], ["STATUS_UPDATE", "statusUpdateURL"], ["CHATBOT", "chatbotWebhookURL"], ["SESSION_STATUS", "sessionStatusURL"], ["PARTNER_EVENT", "eventWebhookURL"],
];

export const hooks = {
  /** @param {AbortSignal} signal @returns {Promise<Configuration[]>} */
  list: async (signal) => (await api.get(`${HOOKS}/list`, { size: 200 }, { signal })).content,
  /** @param {Partial<Configuration>} given @returns {Promise<Configuration>} */
  save: (given) => (given.id ? api.put(HOOKS, given) : api.post(HOOKS, given)),
  /** @param {string} id */
  remove: (id) => api.remove(`${HOOKS}/${id}`),
  /** @param {string} id @param {AbortSignal} signal @returns {Promise<Health[]>} */
  health: (id, signal) => api.get(`${HOOKS}/${id}/health`, undefined, { signal }),
  /** @param {string} id */
  attempts: (id) => `${HOOKS}/${id}/attempts`,
  /** @param {string} id @param {string} webhookType */
  ping: (id, webhookType) => api.post(`${HOOKS}/${id}/ping`, { webhookType }),
  /** @param {string} id @param {string} delivery */
  resend: (id, delivery) => api.post(`${HOOKS}/${id}/deliveries/${delivery}/resend`),
  /** @param {string} id @param {{since: string, until?: string, webhookType?: string}} period @returns {Promise<{resent: number, more: boolean}>} */
  resendFailed: (id, period) => api.post(`${HOOKS}/${id}/resend-failed`, period),
  /** @param {string} id @returns {Promise<string>} */
  secret: async (id) => (await api.get(`${HOOKS}/${id}/secret`)).secret,
  /** @param {string} id @returns {Promise<string>} */
  rotate: async (id) => (await api.post(`${HOOKS}/${id}/secret/rotate`)).secret,
  /** @param {number | undefined} after @param {AbortSignal} signal @returns {Promise<{last: number, webhooks: Heard[]}>} */
  listen: (after, signal) => api.post(LISTENER, after === undefined ? {} : { after }, { signal }),
  /** @param {string} delivery @param {AbortSignal} signal @returns {Promise<Heard>} */
  signed: (delivery, signal) => api.get(`${LISTENER}/${delivery}`, undefined, { signal }),
};

/**
 * A delivery, found in the configuration that has it.
 * @param {string[]} configs
 * @param {string} delivery
 * @param {AbortSignal} signal
 * @returns {Promise<{config: string, delivery: Delivery}>}
 */
export async function findDelivery(configs, delivery, signal) {
  /** @type {unknown} */
  let last = new ApiError({ status: 404 });
  for (const config of configs) {
    try {
      return { config, delivery: await api.get(`${HOOKS}/${config}/deliveries/${encodeURIComponent(delivery)}`, undefined, { signal }) };
    } catch (error) {
      last = error;
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
  throw last;
}
