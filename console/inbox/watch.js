// For agents, on every page: sounds and notifications, and the size of the queue in the navigation.
import { effect } from "@preact/signals";
import { onEvents, onRestart } from "#app/live.js";
import { navCounts } from "#app/navigation.js";
import { match, path } from "#app/router.js";
import { followAlerts } from "./alerts.js";
import { count, counts, moves, recount } from "./chats.js";

/** The id of the chat that is shown, or an empty text. */
function openChat() {
  return match("/inbox/:scope?/:chat?", path.peek())?.chat ?? "";
}

/** @returns {() => void} stops it */
export function watchDesk() {
  count().catch(() => {});
  const stops = [
    followAlerts(openChat),
    onEvents((events) => events.some(({ type }) => moves(type)) && recount()),
    onRestart(recount),
    effect(() => {
      navCounts.value = { ...navCounts.peek(), "/inbox": counts.value.unassigned ?? 0 };
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
