import { PatchbayError } from "./error.js";
import { type LiveEvent, type LiveEventOptions, followEvents } from "./live-events.js";
import type { Answer, CallOptions, Method, PageItem, PagePath, PathWith, RequestOptions } from "./operation.js";
import { DEFAULT_RETRIES, type RetryPolicy, delayAfter, isRetryable, pause } from "./retry.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];

export interface ClientOptions {
  /** The address of the server, such as `https://chat.example.com`. */
  url: string;
  /** The API key: 36 characters. */
  key: string;
  retries?: Partial<RetryPolicy>;
  /** Milliseconds for one attempt. */
  timeout?: number;
  fetch?: typeof fetch;
}

interface Call {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const SENDS = [
  "/whatsapp-api-service/v2/messages",
  "/whatsapp-api-service/v2/channels/whatsapp",
  "/whatsapp-api-service/v2/channels/sms",
  "/whatsapp-api-service/v2/json",
];

/** A client of one server with one key. */
export class Patchbay {
  readonly #options: Required<Omit<ClientOptions, "retries">> & { retries: RetryPolicy };

  constructor({ url, key, retries, timeout = 30_000, fetch: send = globalThis.fetch.bind(globalThis) }: ClientOptions) {
    const address = url.replace(/\/+$/, "");
    this.#options = { url: address, key, timeout, fetch: send, retries: { ...DEFAULT_RETRIES, ...retries } };
  }

  /** Sends a WhatsApp message or an SMS through the unified endpoint. */
  send(body: Schemas["UnifiedSend"], options: CallOptions = {}): Promise<Schemas["SendAccepted"]> {
    return this.request("post", "/whatsapp-api-service/v2/messages", { body, ...options });
  }

  /** Returns a message with all its events. */
  message(gstId: string, options: CallOptions = {}): Promise<Schemas["MessageStory"]> {
    return this.request("get", "/messaging-service/WhatsApp/messages/{gstId}", { path: { gstId }, ...options });
  }

  /** Iterates over all items of a list, page by page. */
  async *items<P extends PagePath>(path: P, options?: RequestOptions<"get", P>): AsyncGenerator<PageItem<P>> {
    for (let page = 0; ; page += 1) {
      const query = { ...(options?.query as object | undefined), page };
      const found = (await this.#call("get", path, { ...options, query } as Call & CallOptions)) as { content: PageItem<P>[]; last: boolean };
      yield* found.content;
      if (found.last) return;
    }
  }

  /** Follows the live events of the client, and continues after a broken connection. */
  liveEvents(options: LiveEventOptions = {}): AsyncGenerator<LiveEvent> {
    const ticket = async () => {
      const { ticket } = await this.request("post", "/chat-service/api/v2/events/ticket", {
        ...(options.signal && { signal: options.signal }),
      });
      return ticket;
    };
    return followEvents(this.#options.url, ticket, options, this.#options.retries);
  }

  /** Calls any operation of the API, by its method and path. Fails with {@link PatchbayError}. */
  async request<M extends Method, P extends PathWith<M>>(
    method: M,
    path: P,
    ...[options]: Record<never, never> extends RequestOptions<M, P> ? [RequestOptions<M, P>?] : [RequestOptions<M, P>]
  ): Promise<Answer<M, P>> {
    return (await this.#call(method, path, (options ?? {}) as Call & CallOptions)) as Answer<M, P>;
  }

  async #call(method: Method, template: string, options: Call & CallOptions): Promise<unknown> {
    const { retries } = this.#options;
    const key = options.idempotencyKey ?? (SENDS.includes(template) ? crypto.randomUUID() : undefined);
    const address = this.#address(template, options);
    const isRepeatable = method !== "post" || key !== undefined;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= retries.attempts;
      let retryAfter: string | null = null;
      try {
        const answer = await this.#attempt(method, address, template, options, key);
        const body = await read(answer);
        if (answer.ok) return body;
        if (isLast || !isRetryable(answer.status)) {
          throw new PatchbayError(answer.status, body, answer.headers.get("x-request-id"));
        }
        retryAfter = answer.headers.get("retry-after");
      } catch (error) {
        // Without an answer, only a request that cannot take effect twice is repeated.
        if (error instanceof PatchbayError || options.signal?.aborted || isLast || !isRepeatable) throw error;
      }
      await pause(delayAfter(attempt, retryAfter, retries), options.signal);
    }
  }

  #attempt(method: Method, address: URL, template: string, options: Call & CallOptions, key?: string): Promise<Response> {
    const { timeout, fetch: send } = this.#options;
    const limit = AbortSignal.timeout(timeout);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const { body, contentType } = encode(template, options.body);
    const isGateway = /^\/sms(batch)?\//.test(template);
    const headers: Record<string, string> = {
      [isGateway ? "X-API-Key" : "Authorization"]: this.#options.key,
      ...(contentType && { "Content-Type": contentType }),
      ...(key && { "Idempotency-Key": key }),
      ...options.headers,
    };
    return send(address, { method: method.toUpperCase(), headers, signal, ...(body !== undefined && { body }) });
  }

  #address(template: string, { path, query }: Call): URL {
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path?.[name])));
    const address = new URL(this.#options.url + filled);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined && value !== null) address.searchParams.set(name, String(value));
    }
    return address;
  }
}

function encode(template: string, body: unknown): { body?: BodyInit; contentType?: string } {
  if (body === undefined) return {};
  if (body instanceof FormData || body instanceof Blob) return { body };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    const contentType = template.includes("/plugins") ? "application/wasm" : "application/octet-stream";
    return { body: body as ArrayBuffer, contentType };
  }
  if (template.startsWith("/smsbatch/")) return { body: new URLSearchParams(body as Record<string, string>) };
  return { body: JSON.stringify(body), contentType: "application/json" };
}

async function read(answer: Response): Promise<unknown> {
  const contentType = answer.headers.get("content-type") ?? "";
  if (contentType.startsWith("application/json")) return answer.json();
  if (/^(text\/|application\/(xml|x-ndjson))/.test(contentType)) return answer.text();
  const bytes = await answer.arrayBuffer();
  return bytes.byteLength === 0 ? undefined : bytes;
}
