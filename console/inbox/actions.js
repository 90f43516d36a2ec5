// Moves of a chat between queue, agents, bot and archive (docs/chats.md).
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { viewer } from "#app/session.js";
import { confirm } from "#ui/dialog.js";
import { report, reportFault } from "#ui/toast.js";
import { changed } from "./chats.js";
import { stateOf } from "./scopes.js";
import { nameOf } from "./words.js";

/** @typedef {import("./types.js").Chat} Chat */

/** @param {Chat} chat @param {string} move @param {object} [body] @returns {Promise<Chat>} */
async function move(chat, move, body) {
  const moved = await api.post(`/chat-service/api/v2/chats/${chat.id}/${move}`, body);
  changed(moved);
  return moved;
}

/** Chats with a move that has not ended. A second one, by a key pressed twice, is ignored. @type {Set<string>} */
const moving = new Set();

/** Runs a move of a chat and reports its end. @param {Chat} chat @param {() => Promise<unknown>} run @param {string} [done] @param {{text: string, run: () => void}} [action] */
async function reported(chat, run, done, action) {
  if (moving.has(chat.id)) return false;
  moving.add(chat.id);
  try {
    await run();
    if (done) report(done, { action });
    return true;
  } catch (error) {
    reportFault(error);
    return false;
  } finally {
    moving.delete(chat.id);
  }
}

/** The viewer gets the chat. An agent who has it keeps it, unless the viewer may take it over. @param {Chat} chat */
export function take(chat) {
  const other = chat.assignedTo && chat.assignedTo.id !== viewer.peek()?.id;
  return reported(chat, () => move(chat, "assign", other ? { agentId: viewer.peek()?.id } : undefined));
}

/** @param {Chat} chat */
export function reopen(chat) {
  return reported(chat, () => move(chat, "open"));
}

/** @param {Chat} chat */
export function resolve(chat) {
  return reported(chat, () => move(chat, "resolve"), t("inbox.done.resolved", { name: nameOf(chat) }), { text: t("inbox.reopen"), run: () => void reopen(chat) });
}

/** Ends a chat without an answer. @param {Chat} chat */
export async function terminate(chat) {
  const agreed = await confirm({ title: t("inbox.terminateTitle"), text: t("inbox.terminateText", { name: nameOf(chat) }), action: t("inbox.terminate"), danger: true });
  return agreed && reported(chat, () => move(chat, "terminate"), t("inbox.done.terminated", { name: nameOf(chat) }));
}

/** @param {Chat} chat */
export function release(chat) {
  return reported(chat, () => move(chat, "release"), t("inbox.done.released", { name: nameOf(chat) }));
}

/** Gives a chat to an agent or the queue of a team. @param {Chat} chat @param {{agentId?: string, teamId?: string}} to @param {string} name */
export function transfer(chat, to, name) {
  return reported(chat, () => move(chat, "transfer", to), t("inbox.done.transferred", { name }));
}

/** The moves that the viewer may make now. @param {Chat} chat */
export function movesOf(chat) {
  const me = viewer.value;
  const state = stateOf(chat);
  const mine = state === "ACTIVE" && chat.assignedTo?.id === me?.id;
  const above = me?.role === "ADMIN" || me?.role === "SUPERVISOR";
  const mayHave = above || me?.role === "AGENT";
  const mayChange = mine || above || me?.role === "API" || state !== "ACTIVE";
  return {
    mine,
    /** Whether the viewer may write without taking the chat. */
    write: mine || me?.role === "API",
    take: mayHave && (state === "QUEUED" || state === "BOT" || (state === "ACTIVE" && !mine && above)),
    reopen: mayHave && state === "CLOSED",
    transfer: mayChange && state !== "CLOSED",
    resolve: mayChange && state === "ACTIVE",
    terminate: mayChange && state !== "CLOSED",
    release: mayChange && (state === "ACTIVE" || state === "QUEUED"),
  };
}
