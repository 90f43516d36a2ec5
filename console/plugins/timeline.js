// Joins the facts of one conversation: calls, the recorded input and answers of these calls, timers, decisions of routers.
import { failed } from "./facts.js";

/** @typedef {import("./types.js").Invocation} Invocation */

/** The conversations of calls, the latest first. @param {Invocation[]} calls */
export function subjectsOf(calls) {
  /** @type {Map<string, {id: string, calls: number, failures: number, last: string}>} */
  const found = new Map();
  for (const one of calls) {
    if (!one.subjectId) continue;
    const known = found.get(one.subjectId) ?? { id: one.subjectId, calls: 0, failures: 0, last: one.time };
    known.calls += 1;
    if (failed(one.outcome)) known.failures += 1;
    found.set(one.subjectId, known);
  }
  return [...found.values()];
}

/**
 * The items of a conversation in the order of time. A recorded call adds its event, its actions and its timers.
 * @param {Invocation[]} calls @param {any[]} recordings @param {any[]} decisions
 */
export function timelineOf(calls, recordings, decisions) {
  const recorded = new Map(recordings.map((one) => [one.id, one.recording]));
  /** @type {any[]} */
  const items = decisions.map((one) => ({ kind: "route", id: one.id, at: new Date(one.time).getTime(), decision: one }));
  const moments = momentsOf(calls, recorded);
  for (const call of calls) {
    const at = new Date(call.time).getTime();
    const found = recorded.get(call.id);
    items.push({ kind: "call", id: call.id, at, call, event: found?.question?.event });
    if (call.mode === "shadow") continue;
    for (const [index, action] of (found?.result?.actions ?? []).entries()) {
      const id = `${call.id} ${index}`;
      if (action.type !== "start-timer") {
        items.push({ kind: "action", id, at, action });
        continue;
      }
      // It ends when it fires, is cancelled or starts again.
      const next = moments[moments.findIndex((one) => one.id === id) + 1];
      const end = next?.name === action.name ? next : undefined;
      items.push({ kind: "timer", id, at, name: action.name, seconds: action.afterSeconds, until: end?.at ?? at + action.afterSeconds * 1000, fired: end?.what === "timer" });
    }
  }
  items.sort((left, right) => left.at - right.at);
  return { items, recorded: recordings.length > 0 || calls.length === 0 };
}

/**
 * The starts, cancellations and ends of timers in recorded calls, by the name of the timer and in the order of time.
 * @param {Invocation[]} calls @param {Map<string, any>} recorded
 * @returns {Array<{id: string, name: string, at: number, what: string}>}
 */
function momentsOf(calls, recorded) {
  const found = calls.filter((one) => one.mode !== "shadow").flatMap((call) => {
    const { question, result } = recorded.get(call.id) ?? {};
    const all = [question?.event, ...(result?.actions ?? [])].map((one, index) => ({ id: `${call.id} ${index - 1}`, name: one?.name, at: new Date(call.time).getTime(), what: one?.type }));
    return all.filter((one) => ["timer", "start-timer", "cancel-timer"].includes(one.what));
  });
  return found.sort((left, right) => left.name.localeCompare(right.name) || left.at - right.at);
}
