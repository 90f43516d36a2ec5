// The views of the simulator, as signals. They come over one stream of events, which the browser opens again after an interruption.
import { effect, signal } from "@preact/signals";

/** @typedef {import("./types/views.js").Views} Views */

const KEPT_IN = "patchbay.phones";
const USUAL = {
  whatsapp: "27820000001",
  sms: "27820000001",
  messenger: "24071234567",
  telegram: "5271234567",
  bot: "",
  site: "",
  whatsappPeer: "",
  smsPeer: "",
  page: "",
};

/** The person in whose hand each phone is, and the business that it talks to. */
export const selection = signal({ ...USUAL, ...kept() });

export const link = signal(/** @type {"connecting"|"live"|"lost"} */ ("connecting"));

/** The newest view by its name. Null before the first. @type {{[N in keyof Views]: import("@preact/signals").Signal<Views[N]|null>}} */
export const views = {
  world: signal(null),
  whatsapp: signal(null),
  sms: signal(null),
  messenger: signal(null),
  telegram: signal(null),
};

/** @returns {Partial<typeof USUAL>} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT_IN) || "{}");
  } catch {
    return {};
  }
}

/** @param {Partial<typeof USUAL>} change */
export function choose(change) {
  selection.value = { ...selection.value, ...change };
  try {
    localStorage.setItem(KEPT_IN, JSON.stringify(selection.value));
  } catch {
    // A browser without storage forgets the choice.
  }
}

/** @type {EventSource|null} */
let source = null;
let shown = "";

/** @param {typeof USUAL} selection */
function open({ whatsapp, sms, messenger, telegram, bot }) {
  const query = new URLSearchParams({ whatsapp, sms, messenger, telegram });
  if (bot) query.set("bot", bot);
  if (query.toString() === shown) return;
  shown = query.toString();
  source?.close();
  const events = new EventSource(`/simulator/live?${query}`);
  source = events;
  events.onopen = () => { link.value = "live"; };
  events.onerror = () => {
    link.value = "lost";
    // A refused request is not repeated by the browser.
    if (events.readyState === EventSource.CLOSED && source === events) {
      shown = "";
      setTimeout(() => open(selection.value), 1000);
    }
  };
  for (const [name, view] of Object.entries(views)) {
    events.addEventListener(name, (event) => { view.value = JSON.parse(event.data); });
  }
}

export function start() {
  effect(() => open(selection.value));
}
