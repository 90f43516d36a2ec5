// The chats that the console knows, the list that is shown, and the sizes of all lists. Live events keep them true.
import { batch, signal } from "@preact/signals";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { onEvents, onRestart, onReturn } from "#app/live.js";
import { path } from "#app/router.js";
import { refreshViewer, session, viewer } from "#app/session.js";
import { SCOPES, holds, stateOf } from "./scopes.js";

/** @typedef {import("./types.js").Chat} Chat */
/** @typedef {import("./types.js").Preview} Preview */
/** @typedef {{scope: string, search: string, ids: string[], last: boolean, busy: boolean, error?: unknown}} ChatList */

const CHATS = "/chat-service/api/v2/chats";
const PAGE = 40;
const COUNTS_PAUSE_MS = 1200;
/** Chats in memory before those that nothing shows are forgotten. */
const KEPT = 3000;
/** Events that can change the sizes of the lists. */
const MOVES = new Set(["chat.opened", "chat.changed", "chat.closed", "chat.missed", "chat.after-hours", "message.sent", "message.received"]);

/** @type {Map<string, import("@preact/signals").Signal<Chat | undefined>>} */
const chats = new Map();
/** @type {import("@preact/signals").Signal<ChatList>} */
export const list = signal({ scope: "", search: "", ids: [], last: true, busy: false });
/** @type {import("@preact/signals").Signal<Record<string, number>>} */
export const counts = signal({});
/** The time until which a customer is shown as typing, by chat. @type {import("@preact/signals").Signal<Record<string, number>>} */
export const typing = signal({});
/** Ids of the members of the viewer's team. */
let mates = new Set(/** @type {string[]} */ ([]));
let turn = 0;
/** The number of the last event of each chat. An answer to an earlier request is older than the event. @type {Map<string, number>} */
const heard = new Map();
let moment = 0;

/** The chat with an id, if it is known. It follows events. @param {string} id @returns {Chat | undefined} */
export function chatOf(id) {
  return place(id).value;
}

/** @param {string} id */
function place(id) {
  let found = chats.get(id);
  if (!found) chats.set(id, (found = signal(/** @type {Chat | undefined} */ (undefined))));
  return found;
}

/** Takes in a chat as a live event has it. Fields that events lack keep their values. @param {Chat} chat @returns {Chat} */
export function know(chat) {
  const known = place(chat.id);
  const before = known.peek();
  const merged = { ...chat, tags: chat.tags ?? before?.tags, createdTime: chat.createdTime ?? before?.createdTime, whatsAppNumber: chat.whatsAppNumber ?? chat.inbox ?? before?.whatsAppNumber, waitingSince: waitingSince(chat, before), lastMessage: later(before?.lastMessage, chat.lastMessage) };
  known.value = merged;
  return merged;
}

/** Since when the customer waits for a first answer. Events lack it: a chat that comes into the queue waits since its last message. @param {Chat} chat @param {Chat | undefined} before */
function waitingSince(chat, before) {
  const isWithAgents = (/** @type {Chat} */ one) => ["QUEUED", "ACTIVE"].includes(stateOf(one));
  if (!isWithAgents(chat)) return undefined;
  if (chat.waitingSince !== undefined || !before) return chat.waitingSince;
  if (isWithAgents(before)) return before.waitingSince;
  return stateOf(chat) === "QUEUED" ? chat.lastMessageTime : undefined;
}

/** Takes in a chat as the API returned it: without `lastMessage` it has no message. @param {Chat} chat @returns {Chat} */
function knowWhole(chat) {
  return know({ ...chat, lastMessage: chat.lastMessage ?? null, waitingSince: chat.waitingSince ?? null });
}

/** Replaces the chats that the console knows by those that the API returned. @param {Chat[]} found */
export function renew(found) {
  batch(() => found.filter((chat) => chats.get(chat.id)?.peek()).forEach(knowWhole));
}

/** Takes in a chat of a list that was asked for at a moment. Later events keep their facts. @param {Chat} chat @param {number} asked */
function knowListed(chat, asked) {
  const before = chats.get(chat.id)?.peek();
  if (!before || (heard.get(chat.id) ?? 0) <= asked) return knowWhole(chat);
  // Only facts that events lack come from the list: another field that an event left out is gone.
  const { tags, createdTime, whatsAppNumber, teamId, ticketId, queuedReason, waitingSince } = chat;
  const listed = { tags, createdTime, whatsAppNumber, teamId, ticketId, queuedReason, waitingSince };
  const told = Object.fromEntries(Object.entries(before).filter(([, value]) => value !== undefined));
  return knowWhole(/** @type {Chat} */ ({ ...listed, ...told, lastMessage: later(before.lastMessage, chat.lastMessage) }));
}

/** The later of two last messages. A present text replaces an older one of the same message. @param {Preview | null | undefined} before @param {Preview | null | undefined} now */
function later(before, now) {
  if (!now) return before ?? now;
  return before && before.sequenceNumber > now.sequenceNumber ? before : now;
}

/** Takes in a message that may be the last one of its chat. @param {import("./types.js").Message} message */
export function noteLast(message) {
  const known = chats.get(message.participantId);
  const chat = known?.peek();
  if (!known || !chat || message.reactionTo) return;
  const last = later(chat.lastMessage, message);
  // An answer of a person ends the wait, also if a newer message is known already.
  const isAnswer = message.direction === "OUTGOING" && message.userOriginated;
  const ends = Boolean(isAnswer && chat.waitingSince && message.createdTime >= chat.waitingSince);
  if (last === chat.lastMessage && !ends) return;
  known.value = { ...chat, lastMessage: last, waitingSince: ends ? null : chat.waitingSince };
}

/** Fetches a chat that may be in no list. @param {string} id */
export async function fetchChat(id) {
  return knowWhole(await api.get(`${CHATS}/${id}`));
}

/** Shows another list. @param {string} scope @param {string} search */
export async function openList(scope, search) {
  const same = list.peek().scope === scope && list.peek().search === search;
  const mine = ++turn;
  const asked = moment;
  list.value = { scope, search, ids: same ? list.peek().ids : [], last: false, busy: true };
  try {
    const [page] = await Promise.all([api.get(CHATS, { scope, search, size: PAGE, page: 0 }), scope === "team" && readMates().catch(() => {})]);
    if (mine === turn) take(page, [], asked);
  } catch (error) {
    if (mine === turn) list.value = { ...list.peek(), busy: false, last: true, error };
  }
}

/** Adds the next page of the list. */
export async function moreChats() {
  const now = list.peek();
  if (now.busy || now.last) return;
  const mine = turn;
  const asked = moment;
  list.value = { ...now, busy: true };
  try {
    const page = await api.get(CHATS, { scope: now.scope, search: now.search, size: PAGE, page: Math.floor(now.ids.length / PAGE) });
    if (mine === turn) take(page, list.peek().ids, asked);
  } catch (error) {
    if (mine === turn) list.value = { ...list.peek(), busy: false, error };
  }
}

/** @param {{content: Chat[], last: boolean}} page @param {string[]} before @param {number} asked */
function take(page, before, asked) {
  batch(() => {
    for (const chat of page.content) knowListed(chat, asked);
    const ids = [...new Set([...before, ...page.content.map((chat) => chat.id)])];
    list.value = { ...list.peek(), ids, last: page.last, busy: false, error: undefined };
    // Events that came while the page was on its way may have moved chats.
    for (const [id, at] of heard) {
      const chat = at > asked && chats.get(id)?.peek();
      if (chat) settle(chat);
    }
  });
}

/** Puts a chat where it belongs in the list after it changed. @param {Chat} chat */
function settle(chat) {
  const now = list.peek();
  const inside = now.ids.includes(chat.id);
  // A search is the server's: a chat stays in its answer.
  const belongs = now.search ? inside : (holds(now.scope, chat, viewer.peek()?.id ?? "", mates) ?? inside);
  if (!belongs && !inside) return;
  const others = inside ? now.ids.filter((id) => id !== chat.id) : now.ids;
  if (!belongs) {
    list.value = { ...now, ids: others };
    return;
  }
  const at = others.findIndex((id) => (chats.get(id)?.peek()?.lastMessageTime ?? "") <= chat.lastMessageTime);
  const older = at < 0 ? others.length : at;
  if (at < 0 && !now.last && !inside) return;
  list.value = { ...now, ids: [...others.slice(0, older), chat.id, ...others.slice(older)] };
}

/** Takes in a chat that an action returned. @param {Chat} chat */
export function changed(chat) {
  batch(() => {
    settle(knowWhole(chat));
    recount(0);
  });
}

/** Whether an event can change the sizes of the lists. @param {string} type */
export function moves(type) {
  return MOVES.has(type);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let countTimer;
let bySizes = true;

/** Counts the lists again: soon, or at once after an action of the viewer. @param {number} [pause] in milliseconds */
export function recount(pause = COUNTS_PAUSE_MS) {
  if (countTimer && pause) return;
  clearTimeout(countTimer);
  countTimer = setTimeout(() => {
    countTimer = undefined;
    count().catch(() => {});
  }, pause);
}

/** Counts all lists: by one call, or on a server without it by nine. */
export async function count() {
  if (!session.peek()) return;
  if (bySizes) {
    try {
      counts.value = await api.get(`${CHATS}/counts`);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 400)) throw error;
      bySizes = false;
    }
  }
  const sizes = await Promise.all(SCOPES.map((scope) => api.get(CHATS, { scope, size: 1 })));
  counts.value = Object.fromEntries(SCOPES.map((scope, index) => [scope, sizes[index].totalElements]));
}

/** Reads the members of the viewer's team, whose chats are in the list `team`. The team may have changed since the login. */
async function readMates() {
  await refreshViewer();
  const team = viewer.peek()?.teamId;
  const members = team ? await api.get(`/api/v1/teams/${team}/members`, { size: 500 }) : { content: [] };
  mates = new Set(members.content.map((/** @type {{id: string}} */ one) => one.id));
}

/** Follows events while the inbox is shown. @returns {() => void} stops it */
export function followChats() {
  const stopEvents = onEvents((events) => {
    for (const event of events) {
      if (event.type === "customer.typing") showTyping(event.chat.id, new Date(event.time).getTime() + 6000);
      if (!event.chat) continue;
      heard.set(event.chat.id, ++moment);
      if (event.type === "message.received") hideTyping(event.chat.id);
      settle(know({ ...event.chat }));
      if (event.message && event.type !== "chat.rated") noteLast(event.message);
      if (moves(event.type)) recount();
    }
    if (chats.size > KEPT) forgetUnshown(chats);
    if (heard.size > KEPT) forgetUnshown(heard);
  });
  const stopRestarts = onRestart(() => {
    openList(list.peek().scope, list.peek().search);
    recount();
  });
  const stopReturns = onReturn(() => {
    if (list.peek().error) openList(list.peek().scope, list.peek().search);
    recount();
  });
  return () => [stopEvents, stopRestarts, stopReturns].forEach((stop) => stop());
}

/** Removes the chats that are neither in the list nor open. @param {Map<string, unknown>} known */
function forgetUnshown(known) {
  const shown = new Set(list.peek().ids);
  for (const id of known.keys()) {
    if (!shown.has(id) && !path.peek().includes(id)) known.delete(id);
  }
}

/** @param {string} chat @param {number} until */
function showTyping(chat, until) {
  typing.value = { ...typing.value, [chat]: until };
  setTimeout(() => typing.peek()[chat] === until && hideTyping(chat), Math.max(0, until - Date.now()));
}

/** @param {string} chat */
function hideTyping(chat) {
  if (!(chat in typing.peek())) return;
  const { [chat]: _, ...others } = typing.peek();
  typing.value = others;
}
