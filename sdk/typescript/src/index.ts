export { type ClientOptions, Patchbay } from "./client.js";
export { PatchbayError } from "./error.js";
export { type ChatEvent, type EventSocket, type LiveEvent, type LiveEventOptions, LiveEventsEnded, type PositionEvent } from "./live-events.js";
export type { Answer, CallOptions, Method, PageItem, PagePath, PathWith, RequestOptions } from "./operation.js";
export type { RetryPolicy } from "./retry.js";
export type { components, operations, paths } from "./schema.js";
export {
  type VerificationOptions,
  type Webhook,
  type WebhookBodies,
  WebhookVerificationError,
  verifyWebhook,
} from "./webhooks.js";
