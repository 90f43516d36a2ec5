// For agents, on every page: sounds and notifications, the size of the queue in the navigation, and a search in the palette.
import { effect } from "@preact/signals";
import { t } from "#app/i18n.js";
import { onEvents, onRestart } from "#app/live.js";
import { navCounts } from "#app/navigation.js";
import { addCommands } from "#app/palette.js";
import { match, path } from "#app/router.js";
import { followAlerts } from "./alerts.js";
import { count, counts, moves, recount } from "./chats.js";
import { findChats, findContacts, findTickets } from "./search.js";

/** The id of the chat that is shown, or an empty text. */
function openChat() {
  return match("/inbox/:scope?/:chat?", path.peek())?.chat ?? "";
}

/** The searches of the palette, by the text of their title. The title follows the language. @type {Array<[string, NonNullable<import("#app/palette.js").CommandSource["search"]>]>} */
const SEARCHES = [["nav.tickets", findTickets], ["nav.contacts", findContacts], ["inbox.chats", findChats]];

/** @returns {() => void} stops it */
export function watchDesk() {
  count().catch(() => {});
  const stops = [
    followAlerts(openChat),
    onEvents((events) => events.some(({ type }) => moves(type)) && recount()),
    onRestart(recount),
    ...SEARCHES.map(([title, search]) => addCommands({ get title() { return t(title); }, search })),
    effect(() => {
      navCounts.value = { ...navCounts.peek(), "/inbox": counts.value.unassigned ?? 0 };
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
