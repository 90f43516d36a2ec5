import type { components } from "./schema.js";

type Schemas = components["schemas"];

/** The body of each webhook, by its name in the document. */
export interface WebhookBodies {
  incomingMessage: Schemas["IncomingMessage"];
  messageStatus: Schemas["MessageStatus"];
  sessionStatus: Schemas["SessionStatus"];
  partnerEvent: Schemas["PartnerEvent"];
  chatbotEvent: Schemas["ChatbotEventV1"] & Partial<Schemas["ChatbotEventV2Fields"]>;
}

/** A webhook whose signature was verified. */
export interface Webhook<Name extends keyof WebhookBodies> {
  /** The same for each attempt. Remember it: a webhook can arrive twice. */
  id: string;
  /** The time of the attempt. */
  sentAt: Date;
  body: WebhookBodies[Name];
}

export interface VerificationOptions {
  /** The secret of the configuration (`whsec_...`), or several during a rotation. */
  secret: string | string[];
  /** Seconds that the time of the attempt may differ from now. */
  tolerance?: number;
}

/** The webhook is not genuine, or too old. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies the signature of a webhook (Standard Webhooks) and parses its body.
 *
 * @param name The webhook that the address is for, such as `messageStatus`.
 * @param headers The headers of the request.
 * @param body The bytes or the text of the body, exactly as they came.
 */
export async function verifyWebhook<Name extends keyof WebhookBodies>(
  name: Name,
  headers: HeaderSource,
  body: string | Uint8Array<ArrayBuffer>,
  { secret, tolerance = 300 }: VerificationOptions,
): Promise<Webhook<Name>> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature").split(" ");
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < tolerance)) {
    throw new WebhookVerificationError(`The webhook ${name} was sent too long ago, or its clock is wrong`);
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const signed = concatenate(encoder.encode(`${id}.${timestamp}.`), bytes);
  for (const one of [secret].flat()) {
    if (await isSigned(one, signatures, signed)) {
      const parsed = JSON.parse(new TextDecoder().decode(bytes)) as WebhookBodies[Name];
      return { id, sentAt: new Date(Number(timestamp) * 1000), body: parsed };
    }
  }
  throw new WebhookVerificationError(`No signature of the webhook ${name} fits`);
}

async function isSigned(secret: string, signatures: string[], signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ""));
  if (!bytes) throw new TypeError("The secret of a webhook is `whsec_` and a base64 text");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const one of signatures.filter((one) => one.startsWith("v1,"))) {
    const signature = fromBase64(one.slice(3));
    // `verify` takes the same time for every wrong signature.
    if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) return true;
  }
  return false;
}

function header(headers: HeaderSource, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
  if (typeof found !== "string") throw new WebhookVerificationError(`The header ${name} is missing`);
  return found;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
