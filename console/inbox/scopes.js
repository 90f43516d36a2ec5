// The nine lists of chats (docs/chats.md), and which of them a chat is in.

/** @typedef {import("./types.js").Chat} Chat */

/** In the order in which an agent needs them. */
export const SCOPES = ["my", "unassigned", "team", "open", "my-missed", "missed-agent", "missed-after-hours", "closed", "all"];

/** @type {Record<string, string>} */
export const SCOPE_ICONS = {
  my: "headset", unassigned: "inbox", team: "contacts", open: "chat", "my-missed": "flag", "missed-agent": "warning",
  "missed-after-hours": "moon", closed: "archive", all: "list",
};

/** The owner of a chat: `BOT`, `QUEUED`, `ACTIVE` or `CLOSED`. @param {Chat} chat */
export function stateOf(chat) {
  if (chat.conversationClosed) return "CLOSED";
  if (chat.assignedTo) return "ACTIVE";
  return chat.chatBotConversation ? "BOT" : "QUEUED";
}

/**
 * Whether a chat is in a list of a viewer. `mates` are the ids of the members of the viewer's team. For `my-missed` the answer of
 * the server counts, because a chat does not say who missed it: `undefined`.
 * @param {string} scope
 * @param {Chat} chat
 * @param {string} me id of the viewer
 * @param {Set<string>} mates
 * @returns {boolean | undefined}
 */
export function holds(scope, chat, me, mates) {
  const state = stateOf(chat);
  switch (scope) {
    case "my": return state === "ACTIVE" && chat.assignedTo?.id === me;
    case "team": return state === "ACTIVE" && mates.has(chat.assignedTo?.id ?? "");
    case "unassigned": return state === "QUEUED";
    case "closed": return state === "CLOSED";
    case "missed-agent": return chat.missedConversation && !chat.afterHoursConversation;
    case "missed-after-hours": return chat.afterHoursConversation;
    case "open": return state !== "CLOSED";
    case "all": return true;
    default: return chat.missedConversation ? undefined : false;
  }
}
