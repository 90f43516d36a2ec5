// The messages of one chat. They are kept in blocks, so that a new message renders one block and not the whole history.
import { signal } from "@preact/signals";
import { api } from "#app/api.js";
import { onEvents, onRestart, onReturn } from "#app/live.js";
import { noteLast } from "./chats.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {{key: number, messages: import("@preact/signals").Signal<Message[]>}} Block */

const MESSAGES = "/chat-service/api/v2/messages";
const PAGE = 50;
const BLOCK = 40;

/** A history that grows at both ends. */
export class History {
  /** @param {string} chat */
  constructor(chat) {
    this.chat = chat;
    /** @type {import("@preact/signals").Signal<Block[]>} */
    this.blocks = signal([]);
    /** `first`: nothing is there yet. @type {import("@preact/signals").Signal<{busy: boolean, whole: boolean, first: boolean, error?: unknown}>} */
    this.state = signal({ busy: false, whole: false, first: true });
    /** Reactions by the ids of their message: the emoji of the customer and of the business. @type {import("@preact/signals").Signal<Record<string, {customer?: string, business?: string}>>} */
    this.reactions = signal({});
    /** Time of the customer's last message. */
    this.lastIncoming = signal("");
    /** Messages that the viewer began to send. */
    this.sent = signal(0);
    /** The end of the last send: the server orders messages as they come. @type {Promise<unknown>} */
    this.sending = Promise.resolve();
    this.keys = 0;
    /** The newest messages must be read again after the load that is under way. */
    this.stale = false;
    /** The number of the last reaction by its side and message. @type {Map<string, number>} */
    this.reacted = new Map();
    /** @type {Map<string, Block>} */
    this.places = new Map();
  }

  /** Loads the newest messages, or those that are missing since. */
  async open() {
    await this.load(undefined);
  }

  /** Loads the messages before the first one. */
  async older() {
    const first = this.blocks.peek()[0]?.messages.peek()[0];
    if (first && !this.state.peek().busy && !this.state.peek().whole) await this.load(first.sequenceNumber);
  }

  /** @param {number | undefined} beforeSequence */
  async load(beforeSequence) {
    if (this.state.peek().busy) {
      if (beforeSequence === undefined) this.stale = true;
      return;
    }
    this.state.value = { ...this.state.peek(), busy: true, error: undefined };
    try {
      /** @type {Message[]} */
      const page = await api.get(MESSAGES, { participantId: this.chat, size: PAGE, beforeSequence });
      const whole = page.length < PAGE;
      if (beforeSequence !== undefined) this.prepend(page);
      else this.join(page);
      this.state.value = { busy: false, whole: this.state.peek().whole || whole, first: false };
    } catch (error) {
      this.state.value = { ...this.state.peek(), busy: false, error };
    }
    if (!this.stale) return;
    this.stale = false;
    await this.load(undefined);
  }

  /**
   * Takes in the newest page. If messages are missing between it and the known ones, the known ones are dropped, but not those that have
   * not reached the server.
   * @param {Message[]} page
   */
  join(page) {
    const known = this.all();
    const last = known.filter((one) => !one.pending && !one.fault).at(-1)?.sequenceNumber ?? 0;
    if (page.length && known.length && page[0].sequenceNumber > last + 1 && page.length === PAGE) {
      this.places.clear();
      this.blocks.value = [];
      this.state.value = { ...this.state.peek(), whole: false };
      for (const message of page) this.put(message);
      const end = page.at(-1)?.sequenceNumber ?? 0;
      const own = known.filter((one) => (one.pending || one.fault) && !page.some((stored) => stored.tempId === one.tempId));
      for (const [index, message] of own.entries()) this.put({ ...message, sequenceNumber: end + (index + 1) / 1000 });
      return;
    }
    for (const message of page) this.put(message);
  }

  /** @param {Message[]} page */
  prepend(page) {
    const shown = page.filter((message) => this.note(message) && !this.places.has(message.id));
    if (!shown.length) return;
    const block = { key: ++this.keys, messages: signal(shown) };
    for (const message of shown) this.places.set(message.id, block);
    this.blocks.value = [block, ...this.blocks.peek()];
  }

  /** All messages, oldest first. @returns {Message[]} */
  all() {
    return this.blocks.peek().flatMap((block) => block.messages.peek());
  }

  /** The message with our id or the provider's. @param {string} id @returns {Message | undefined} */
  find(id) {
    return this.places.get(id)?.messages.peek().find((one) => one.id === id) ??
      this.all().find((one) => one.whatsAppMessageId === id || one.facebookMessageId === id);
  }

  /** Keeps the facts of a message that are shown elsewhere. Returns whether it has a place of its own. @param {Message} message */
  note(message) {
    if (message.direction === "INCOMING" && message.createdTime > this.lastIncoming.peek()) this.lastIncoming.value = message.createdTime;
    // For a viewer who sees numbers masked, the provider's ids are, too: such a reaction names no message.
    if (!message.reactionTo || message.reactionTo.includes("*")) return true;
    const side = message.direction === "INCOMING" ? "customer" : "business";
    // Older pages come after newer ones, and do not undo them.
    const place = `${side} ${message.reactionTo}`;
    if ((this.reacted.get(place) ?? 0) > message.sequenceNumber) return false;
    this.reacted.set(place, message.sequenceNumber);
    const before = this.reactions.peek();
    this.reactions.value = { ...before, [message.reactionTo]: { ...before[message.reactionTo], [side]: message.text || undefined } };
    return false;
  }

  /** Adds a message, or replaces it. A message that the viewer sent has its `tempId` before it has an id. @param {Message} message */
  put(message) {
    if (!this.note(message)) return;
    const name = this.places.has(message.id) ? message.id : message.tempId && this.places.has(message.tempId) ? message.tempId : "";
    const block = this.places.get(name);
    if (block) {
      this.places.delete(name);
      this.places.set(message.id, block);
      block.messages.value = block.messages.peek().map((one) => (one.id === name ? newer(one, message) : one));
      return;
    }
    const blocks = this.blocks.peek();
    let target = blocks.at(-1);
    if (!target || target.messages.peek().length >= BLOCK) {
      target = { key: ++this.keys, messages: signal([]) };
      this.blocks.value = [...blocks, target];
    }
    this.places.set(message.id, target);
    const inside = target.messages.peek();
    let at = inside.length;
    while (at > 0 && inside[at - 1].sequenceNumber > message.sequenceNumber) at -= 1;
    target.messages.value = [...inside.slice(0, at), message, ...inside.slice(at)];
  }

  /** Removes a message that never reached the server. @param {string} id */
  drop(id) {
    const block = this.places.get(id);
    if (!block) return;
    this.places.delete(id);
    block.messages.value = block.messages.peek().filter((one) => one.id !== id);
  }

  /** Follows events while the chat is shown. @returns {() => void} stops it */
  follow() {
    const stopEvents = onEvents((events) => {
      for (const { message } of events) {
        if (message?.participantId === this.chat) this.put(message);
      }
    });
    const stopRestarts = onRestart(() => void this.open());
    const stopReturns = onReturn(() => this.state.peek().error && void this.open());
    return () => [stopEvents, stopRestarts, stopReturns].forEach((stop) => stop());
  }

  /**
   * Sends a message and shows it at once. The server sends a `tempId` once, however often it is repeated.
   * @param {{channel: string, text?: string, mediaUrl?: string, quote?: Message, contentType?: string, tempId?: string}} draft
   */
  async send({ channel, text, mediaUrl, quote, contentType = "TEXT", tempId = crypto.randomUUID() }) {
    const last = this.all().at(-1)?.sequenceNumber ?? 0;
    /** @type {Message} */
    const shown = {
      id: tempId, tempId, participantId: this.chat, sequenceNumber: last + 0.001, direction: "OUTGOING", contentType, channel, text, mediaUrl,
      createdTime: new Date().toISOString(), userOriginated: true, messageOwner: "", pending: true, quotedText: quote?.text, quotedMessageId: quote?.id,
    };
    this.put(shown);
    this.sent.value += 1;
    const mine = this.sending.then(() => this.post(shown, quote?.id));
    this.sending = mine.catch(() => {});
    await mine;
  }

  /** @param {Message} shown @param {string | undefined} quotedExternalMessageId */
  async post(shown, quotedExternalMessageId) {
    const { channel, text, mediaUrl, tempId } = shown;
    try {
      const sent = await api.post(MESSAGES, { participantId: this.chat, channel, text: text || undefined, mediaUrl, quotedExternalMessageId, tempId });
      this.put(sent);
      noteLast(sent);
    } catch (error) {
      this.put({ ...shown, pending: false, fault: error });
      throw error;
    }
  }

  /** Sets or removes the business's reaction to a message. @param {Message} message @param {string} emoji empty to remove it */
  async react(message, emoji) {
    await api.post(MESSAGES, { participantId: this.chat, channel: message.channel, reaction: { externalMessageId: message.id, emoji: emoji || null } });
    const before = this.reactions.peek();
    const name = namesOf(message).find((one) => one in before) ?? namesOf(message)[0];
    this.reactions.value = { ...before, [name]: { ...before[name], business: emoji || undefined } };
  }
}

/** The ids by which a reaction can name a message. @param {Message} message @returns {string[]} */
export function namesOf(message) {
  return [message.whatsAppMessageId, message.facebookMessageId, message.id].filter((one) => one !== undefined && !one.includes("*")).map(String);
}

const STEPS = ["QUEUED", "ACCEPTED", "SENT", "DELIVERED", "READ", "PLAYED", "FAILED"];

/** An event carries a message as it was at its step, so a later status stays. @param {Message} before @param {Message} now @returns {Message} */
function newer(before, now) {
  if (now.pending || now.fault) return now;
  const later = STEPS.indexOf(before.status ?? "") > STEPS.indexOf(now.status ?? "");
  return later ? { ...now, status: before.status, errorCode: before.errorCode, errorCodeString: before.errorCodeString } : now;
}

const KEPT = 12;
/** @type {Map<string, History>} */
const histories = new Map();

/** The history of a chat; the last few are kept. @param {string} chat */
export function historyOf(chat) {
  const found = histories.get(chat) ?? new History(chat);
  histories.delete(chat);
  histories.set(chat, found);
  if (histories.size > KEPT) histories.delete([...histories.keys()][0]);
  return found;
}
