// The nine lists of chats: a live event puts each chat into those in which the server has it.
import { deepStrictEqual } from "node:assert";
import { join } from "node:path";

const top = new URL("../../../console/", import.meta.url).pathname;
const { SCOPES, SCOPE_ICONS, holds } = await import(join(top, "inbox/scopes.js"));

const MATES = new Set(["me", "mate"]);
const chat = (facts) => ({ conversationClosed: false, chatBotConversation: false, missedConversation: false, afterHoursConversation: false, ...facts });
const has = (id) => ({ assignedTo: { id, name: id } });
const MISSED = { missedConversation: true };
const LATE = { afterHoursConversation: true };

// The lists of a chat in their order. A question mark: the server decides.
function listsOf(facts, mates = MATES) {
  return SCOPES.flatMap((scope) => {
    const held = holds(scope, chat(facts), "me", mates);
    return held === undefined ? [`${scope}?`] : held ? [scope] : [];
  });
}

deepStrictEqual([...SCOPES].sort(), ["all", "closed", "missed-after-hours", "missed-agent", "my", "my-missed", "open", "team", "unassigned"]);
deepStrictEqual(Object.keys(SCOPE_ICONS), SCOPES);

// The owner: all agents, a team, the bot, the viewer, a member of the viewer's team, another agent.
deepStrictEqual(listsOf({}), ["unassigned", "open", "all"]);
deepStrictEqual(listsOf({ teamId: "team", teamName: "Sales" }), ["unassigned", "open", "all"]);
deepStrictEqual(listsOf({ chatBotConversation: true }), ["open", "all"]);
deepStrictEqual(listsOf(has("me")), ["my", "team", "open", "all"]);
deepStrictEqual(listsOf(has("mate")), ["team", "open", "all"]);
deepStrictEqual(listsOf(has("other")), ["open", "all"]);
// A viewer without a team has no chats of a team.
deepStrictEqual(listsOf(has("me"), new Set()), ["my", "open", "all"]);

// A closed chat is in no list of an agent, also if it says who had it.
deepStrictEqual(listsOf({ conversationClosed: true, lastAssignedAgent: { id: "me", name: "me" } }), ["closed", "all"]);
deepStrictEqual(listsOf({ conversationClosed: true, ...has("me") }), ["closed", "all"]);
deepStrictEqual(listsOf({ conversationClosed: true, chatBotConversation: true }), ["closed", "all"]);

// The flags are independent of the owner. After hours counts before missed.
deepStrictEqual(listsOf(MISSED), ["unassigned", "open", "my-missed?", "missed-agent", "all"]);
deepStrictEqual(listsOf({ ...MISSED, ...has("mate") }), ["team", "open", "my-missed?", "missed-agent", "all"]);
deepStrictEqual(listsOf({ ...MISSED, conversationClosed: true }), ["my-missed?", "missed-agent", "closed", "all"]);
deepStrictEqual(listsOf(LATE), ["unassigned", "open", "missed-after-hours", "all"]);
deepStrictEqual(listsOf({ ...LATE, ...has("me") }), ["my", "team", "open", "missed-after-hours", "all"]);
deepStrictEqual(listsOf({ ...LATE, ...MISSED }), ["unassigned", "open", "my-missed?", "missed-after-hours", "all"]);
deepStrictEqual(listsOf({ ...LATE, ...MISSED, conversationClosed: true }), ["my-missed?", "missed-after-hours", "closed", "all"]);
