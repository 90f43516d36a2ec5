// Messages in the command palette, on every page: found by any of their names.
import { known, t } from "#app/i18n.js";
import { addCommands } from "#app/palette.js";
import { go } from "#app/router.js";
import { find } from "./find.js";

/** Shorter texts look for a page. */
const SHORTEST = 4;

/** Lets the palette find messages. @returns {() => void} ends it */
export function offerMessages() {
  return addCommands({
    get title() {
      return t("nav.messages");
    },
    search: async (wanted, signal) => wanted.length < SHORTEST ? [] : (await find(wanted, signal)).flatMap((group) => group.messages.slice(0, 5).map((one) => ({
      text: `${one.receiver ? `+${one.receiver}` : one.recipientUserId} ${one.ctId ?? ""}`, hint: known(`states.${one.status}`), icon: "flow", run: () => go(`/messages/${encodeURIComponent(one.gstId)}`, { search: { q: wanted } }),
    }))),
  });
}
