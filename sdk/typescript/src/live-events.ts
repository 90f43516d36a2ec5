import { type RetryPolicy, delayAfter, pause } from "./retry.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
type Chat = Schemas["ChatParticipantResponse"] & { state: "BOT" | "QUEUED" | "ACTIVE" | "CLOSED"; inbox?: string };

/** Load the lists after it. After `resync` some events are lost: load the lists again. */
export interface PositionEvent {
  type: "hello" | "resync";
  sequence: number;
}

interface EventBase {
  sequence: number;
  time: string;
  chat: Chat;
}

/** A change of a chat. `docs/live-events.md` describes the types. */
export type ChatEvent = EventBase &
  (
    | { type: "message.received" | "message.sent" | "message.edited" | "message.deleted"; message?: Schemas["MessageResponse"] }
    | { type: "message.status"; status: Schemas["ReportedState"]; message?: Schemas["MessageResponse"] }
    | { type: "chat.opened"; reopened?: boolean }
    | { type: "chat.changed"; from?: unknown; to?: unknown; reason?: string }
    | { type: "chat.closed"; from?: unknown }
    | { type: "chat.missed" | "chat.after-hours" | "chat.updated" | "customer.typing" }
    | { type: "chat.rated"; rating: "POOR" | "AVERAGE" | "EXCELLENT"; message?: Schemas["MessageResponse"] }
    | { type: "ticket.changed"; ticket: Record<string, unknown> }
  );

export type LiveEvent = PositionEvent | ChatEvent;

/** The part of a WebSocket that is needed. */
export interface EventSocket {
  // Each class of sockets has its own types of events.
  addEventListener(type: "message" | "close" | "error", listener: (event: any) => void): void;
  close(): void;
}

export interface LiveEventOptions {
  /** Continue after the event with this number. */
  after?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
  /** The class of sockets. Absent: that of the platform. Node 20 has none: give that of the package `ws`. */
  WebSocket?: new (url: string) => EventSocket;
}

/** Close code: the key was replaced, or its user may not see chats. */
const KEY_ENDED = 4001;
/** The server sends at least a position every 20 seconds. A longer silence is a broken connection. */
const LONGEST_SILENCE = 60_000;

/** The key of a live connection does not open it any more. */
export class LiveEventsEnded extends Error {
  override readonly name = "LiveEventsEnded";
}

export async function* followEvents(
  server: string,
  ticket: () => Promise<string>,
  options: LiveEventOptions,
  retries: RetryPolicy,
): AsyncGenerator<LiveEvent> {
  const Socket = options.WebSocket ?? globalThis.WebSocket;
  if (!Socket) throw new TypeError("This platform has no WebSocket: give liveEvents the class of the package `ws`");
  const address = new URL(`${server.replace(/^http/, "ws")}/chat-service/api/v2/events`);
  let after = options.after;
  for (let failures = 0; ; ) {
    address.searchParams.set("ticket", await ticket());
    const isResumed = after !== undefined;
    if (isResumed) address.searchParams.set("after", String(after));
    const connection = new LiveConnection(new Socket(String(address)), options.signal);
    try {
      for await (const event of connection.events()) {
        failures = 0;
        after = event.sequence;
        if (isVisible(event.type, isResumed)) yield event as LiveEvent;
      }
    } finally {
      connection.close();
    }
    options.signal?.throwIfAborted();
    if (connection.closeCode === KEY_ENDED) throw new LiveEventsEnded("The key does not open live events any more");
    failures += 1;
    await pause(delayAfter(failures, null, retries), options.signal);
  }
}

/** A `hello` after a resumption says that nothing was missed. */
function isVisible(type: string, isResumed: boolean): boolean {
  return !["position", "resume"].includes(type) && !(type === "hello" && isResumed);
}

/** One socket as an iteration over its objects. It ends when the socket does. */
class LiveConnection {
  closeCode: number | undefined;
  readonly #socket: EventSocket;
  readonly #signal: AbortSignal | undefined;
  readonly #arrived: { type: string; sequence: number }[] = [];
  #isOver = false;
  #wake = () => {};
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: EventSocket, signal?: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    socket.addEventListener("message", ({ data }) => {
      this.#arrived.push(JSON.parse(String(data)));
      this.#expect();
    });
    socket.addEventListener("close", ({ code }) => this.#end(code));
    socket.addEventListener("error", () => this.#end());
    signal?.addEventListener("abort", this.#abort);
    this.#expect();
  }

  async *events() {
    for (;;) {
      const event = this.#arrived.shift();
      if (event) yield event;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close() {
    clearTimeout(this.#silence);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#socket.close();
  }

  readonly #abort = () => this.#end();

  #end(code?: number) {
    this.closeCode ??= code;
    this.#isOver = true;
    this.#wake();
  }

  /** Every object proves that the connection lives. */
  #expect() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#end(), LONGEST_SILENCE);
    this.#wake();
  }
}
