// The steps of an editor: a present state, and those before and after it.
import { useCallback, useState } from "preact/hooks";

/** @typedef {{flow: import("./model.js").Flow, chosen: import("./layout.js").Positions}} Drawing `chosen`: places of cards that were moved by hand. */
/** @typedef {{past: Drawing[], present: Drawing, future: Drawing[], field: string, time: number}} Steps */

const MOST_STEPS = 200;
/** Changes of one field in this time are one step. */
const SAME_STEP_MS = 1500;

/** @param {Drawing} first */
export function useSteps(first) {
  const [steps, setSteps] = useState(/** @type {Steps} */ ({ past: [], present: first, future: [], field: "", time: 0 }));
  /** `field` names the changed field, so that the letters of a word are one step. */
  const change = useCallback((/** @type {(before: Drawing) => Drawing} */ make, /** @type {string} */ field = "") => setSteps((before) => {
    const present = make(before.present);
    if (present === before.present) return before;
    const time = Date.now();
    const same = field !== "" && field === before.field && time - before.time < SAME_STEP_MS;
    return { past: same ? before.past : [...before.past, before.present].slice(-MOST_STEPS), present, future: [], field, time };
  }), []);
  const undo = useCallback(() => setSteps((before) => {
    const last = before.past.at(-1);
    return last ? { past: before.past.slice(0, -1), present: last, future: [before.present, ...before.future], field: "", time: 0 } : before;
  }), []);
  const redo = useCallback(() => setSteps((before) => {
    const [next, ...future] = before.future;
    return next ? { past: [...before.past, before.present], present: next, future, field: "", time: 0 } : before;
  }), []);
  return { ...steps.present, change, undo, redo, canUndo: steps.past.length > 0, canRedo: steps.future.length > 0 };
}
