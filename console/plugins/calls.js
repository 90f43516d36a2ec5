// Follows the calls of a plugin, and counts them by version.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { addressOf, failed } from "./facts.js";

/** @typedef {import("./types.js").Invocation} Invocation */
/** @typedef {{calls: number, failures: number, median: number, slow: number, memory: number, durations: number[], byMinute: number[]}} Figures */

const EVERY_MS = 2000;
const SIZE = 500;
const MOST = 5000;

/**
 * The calls of a plugin, newest first: the latest ones, then each new one while the component is shown.
 * @param {string} name
 * @param {{filters?: Record<string, string | undefined>, keep?: number, paused?: boolean}} [options]
 * @returns {{calls: Invocation[], error: unknown, loaded: boolean, more: boolean}} `more`: there are calls that are not among them.
 */
export function useCalls(name, { filters = {}, keep = MOST, paused = false } = {}) {
  const [state, setState] = useState(/** @type {{calls: Invocation[], error: unknown, loaded: boolean, more: boolean}} */ ({ calls: [], error: null, loaded: false, more: false }));
  const stopped = useRef(paused);
  stopped.current = paused;
  const of = JSON.stringify([name, filters, keep]);
  useEffect(() => {
    const control = new AbortController();
    const known = new Set();
    let newest = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const read = async () => {
      if (!stopped.current && !document.hidden) {
        try {
          const page = await api.get(addressOf(name, "/invocations"), { ...filters, after: newest, size: Math.min(SIZE, keep) }, { signal: control.signal });
          const fresh = page.content.filter((/** @type {Invocation} */ one) => !known.has(one.id));
          fresh.forEach((/** @type {Invocation} */ one) => known.add(one.id));
          newest = page.content[0]?.id ?? newest;
          setState((before) => {
            const all = [...fresh, ...before.calls];
            return fresh.length || before.error || !before.loaded ? { calls: all.slice(0, keep), error: null, loaded: true, more: before.more || !page.last || all.length > keep } : before;
          });
        } catch (error) {
          if (control.signal.aborted) return;
          setState((before) => ({ ...before, error, loaded: true }));
        }
      }
      if (!control.signal.aborted) timer = setTimeout(read, EVERY_MS);
    };
    setState({ calls: [], error: null, loaded: false, more: false });
    read();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [of]);
  return state;
}

const MINUTES = 30;

/** @param {Invocation[]} calls @returns {Figures} */
export function figuresOf(calls) {
  const durations = calls.map((one) => one.durationMicros).sort((left, right) => left - right);
  const at = (/** @type {number} */ share) => durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0;
  const byMinute = Array.from({ length: MINUTES }, () => 0);
  const now = Date.now();
  for (const one of calls) {
    const minute = MINUTES - 1 - Math.floor((now - new Date(one.time).getTime()) / 60_000);
    if (minute >= 0 && minute < MINUTES) byMinute[minute] += 1;
  }
  return {
    calls: calls.length,
    failures: calls.filter((one) => failed(one.outcome)).length,
    median: at(0.5),
    slow: at(0.95),
    memory: calls.reduce((most, one) => Math.max(most, one.peakMemoryBytes), 0),
    durations,
    byMinute,
  };
}

/** Counts of durations in steps that double: under 1 ms, 2 ms, 4 ms and so on. @param {number[]} durations in microseconds @param {number} steps */
export function histogram(durations, steps = 9) {
  const counts = Array.from({ length: steps }, () => 0);
  for (const micros of durations) {
    const step = micros < 1000 ? 0 : Math.min(steps - 1, 1 + Math.floor(Math.log2(micros / 1000)));
    counts[step] += 1;
  }
  return counts;
}
