// Live events (docs/live-events.md): one socket per tab, which resumes after the last event that it has seen.
import { batch, effect, signal } from "@preact/signals";
import { api } from "#app/api.js";
import { end, hasRole, session } from "#app/session.js";

/** @typedef {{type: string, sequence: number, time: string, chat?: any, message?: any, [other: string]: any}} LiveEvent */
/** `off`: this role follows no events. @type {import("@preact/signals").Signal<"off" | "connecting" | "open" | "lost">} */
export const liveState = signal("off");

/** The server says something every 20 seconds. */
const SILENCE_MS = 50_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** @type {Set<(events: LiveEvent[]) => void>} */
const listeners = new Set();
/** @type {Set<() => void>} */
const restarts = new Set();
/** @type {Set<() => void>} */
const returns = new Set();
/** @type {LiveEvent[]} */
let waiting = [];
let handing = false;
let after = 0;
let failures = 0;
/** Counts connections, so that an old one has no say. */
let generation = 0;
/** @type {WebSocket | null} */
let socket = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retryTimer;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let silenceTimer;

/** Hears events in their order, some at a time. @param {(events: LiveEvent[]) => void} listener @returns {() => void} stops it */
export function onEvents(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Hears when events were lost, so that lists must be loaded again. @param {() => void} listener @returns {() => void} stops it */
export function onRestart(listener) {
  restarts.add(listener);
  return () => restarts.delete(listener);
}

/** Hears when a lost connection is back, so that calls that failed can be made again. @param {() => void} listener @returns {() => void} stops it */
export function onReturn(listener) {
  returns.add(listener);
  return () => returns.delete(listener);
}

/** Follows events while there is a session that may. */
export function followSession() {
  let followed = "";
  effect(() => {
    const key = session.value?.key ?? "";
    const may = hasRole("ADMIN", "SUPERVISOR", "AGENT", "API");
    if (key === followed) return;
    followed = key;
    stop();
    if (key && may) connect();
  });
  addEventListener("offline", () => liveState.peek() !== "off" && lose());
  addEventListener("online", () => liveState.peek() === "lost" && connect());
  document.addEventListener("visibilitychange", () => !document.hidden && liveState.peek() === "lost" && connect());
}

function stop() {
  drop();
  after = 0;
  failures = 0;
  liveState.value = "off";
}

function drop() {
  generation += 1;
  clearTimeout(retryTimer);
  clearTimeout(silenceTimer);
  socket?.close();
  socket = null;
}

/** Connects at once, for example at the request of the viewer. */
export async function connect() {
  drop();
  const mine = generation;
  if (liveState.peek() !== "lost") liveState.value = "connecting";
  try {
    const { ticket } = await api.post("/chat-service/api/v2/events/ticket");
    if (mine === generation) open(ticket, mine);
  } catch {
    if (mine === generation && session.peek()) lose();
  }
}

/** @param {string} ticket @param {number} mine */
function open(ticket, mine) {
  const search = new URLSearchParams({ ticket, ...(after ? { after: String(after) } : {}) });
  socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/chat-service/api/v2/events?${search}`);
  watch(mine);
  socket.onmessage = ({ data }) => {
    if (mine !== generation) return;
    watch(mine);
    take(JSON.parse(data));
  };
  socket.onclose = ({ code }) => {
    if (mine !== generation) return;
    if (code === 4001) end("expired");
    else lose();
  };
}

/** Takes silence for a lost connection. @param {number} mine */
function watch(mine) {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(() => mine === generation && lose(), SILENCE_MS);
}

function lose() {
  drop();
  liveState.value = "lost";
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
  failures += 1;
  retryTimer = setTimeout(connect, pause * (0.5 + Math.random() / 2));
}

/** @param {LiveEvent} event */
function take(event) {
  const fresh = after === 0;
  const back = liveState.peek() === "lost";
  after = event.sequence;
  if (event.type === "hello" || event.type === "resync" || event.type === "position") {
    failures = 0;
    liveState.value = "open";
    // Lists that were loaded before the first `hello` may lack a change.
    if (fresh || event.type === "resync") batch(() => restarts.forEach((listener) => listener()));
  } else if (event.type !== "resume") {
    liveState.value = "open";
    waiting.push(event);
    if (!handing) hand();
  }
  if (back && liveState.peek() === "open") batch(() => returns.forEach((listener) => listener()));
}

/** Hands events over once per frame, so that many events make few changes of the page. */
function hand() {
  handing = true;
  const run = () => {
    handing = false;
    const events = waiting;
    waiting = [];
    batch(() => listeners.forEach((listener) => listener(events)));
  };
  if (document.hidden) setTimeout(run, 50);
  else requestAnimationFrame(run);
}
