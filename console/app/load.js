// Loading for components: a value from the API with its fault, and lists page by page.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isUnreachable } from "#app/faults.js";
import { onReturn } from "#app/live.js";

/** The pause before a value is asked for again after the server could not be reached. */
const AGAIN_MS = 5000;

/**
 * Loads a value when the component appears and when `inputs` change. The former value stays until the next one is there, unless
 * `inputs` changed. An answer that comes too late is dropped. If a value cannot be loaded again, it stays together with its `error`.
 * If the server cannot be reached, it is asked again by itself, at once when the lost connection of live events is back.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {any[]} inputs
 * @returns {{data?: T, error?: unknown, busy: boolean, reload: () => void, replace: (data: T) => void}}
 */
export function useLoad(load, inputs) {
  const [state, setState] = useState(/** @type {{data?: T, error?: unknown, busy: boolean, of?: string}} */ ({ busy: true }));
  const [turn, setTurn] = useState(0);
  const of = JSON.stringify(inputs);
  const latest = useRef({ load, of });
  latest.current = { load, of };
  const running = useRef(/** @type {AbortController | null} */ (null));
  useEffect(() => {
    const control = new AbortController();
    running.current = control;
    setState((before) => (before.of === of && (before.data !== undefined || isUnreachable(before.error)) ? { ...before, busy: true } : { busy: true, of }));
    latest.current.load(control.signal).then(
      (data) => !control.signal.aborted && setState({ data, busy: false, of }),
      (error) => !control.signal.aborted && setState((before) => ({ ...before, error, busy: false })),
    );
    return () => control.abort();
  }, [of, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    // A slow answer is awaited.
    if (state.busy || !isUnreachable(state.error)) return undefined;
    const timer = setInterval(() => !document.hidden && reload(), AGAIN_MS);
    const forget = onReturn(reload);
    addEventListener("online", reload);
    return () => {
      clearInterval(timer);
      forget();
      removeEventListener("online", reload);
    };
  }, [state.error, state.busy]);
  // A load that is under way began before the change, so its answer would undo it.
  const replace = useCallback((/** @type {T} */ data) => {
    if (latest.current.of !== of) return;
    running.current?.abort();
    setState({ data, busy: false, of });
  }, [of]);
  return state.of === of ? { ...state, reload, replace } : { busy: true, reload, replace };
}

/**
 * Loads a value again every `pause` milliseconds while the page is visible; 0: not. A slow answer is awaited.
 * @param {{busy: boolean, reload: () => void}} load
 * @param {number} pause
 */
export function useRefresh(load, pause) {
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (!pause) return undefined;
    const timer = setInterval(() => !document.hidden && !latest.current.busy && latest.current.reload(), pause);
    return () => clearInterval(timer);
  }, [pause]);
}

/**
 * Changes of loaded data. `attempt` makes one, loads the data again and returns true, or keeps its error and returns false.
 * @param {{reload: () => void}} load
 */
export function useChange(load) {
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const attempt = async (/** @type {() => Promise<any>} */ change) => {
    setFault(null);
    try {
      await change();
      load.reload();
      return true;
    } catch (error) {
      setFault(error);
      return false;
    }
  };
  return { fault, attempt };
}

/**
 * The text of a search field and the address that has it: each follows the other. `follow` gets the text when the viewer pauses.
 * @param {string} given the text in the address
 * @param {(text: string) => void} follow
 * @returns {[string, (text: string) => void]}
 */
export function useSearchText(given, follow) {
  const [text, setText] = useState(given);
  const settled = useSettled(text.trim());
  const known = useRef(given);
  useEffect(() => {
    if (settled === known.current) return;
    known.current = settled;
    follow(settled);
  }, [settled]);
  useEffect(() => {
    if (given === known.current) return;
    known.current = given;
    setText(given);
  }, [given]);
  return [text, setText];
}

/** A value that follows another after a pause, for searches. @template T @param {T} value @param {number} [pause] in milliseconds @returns {T} */
export function useSettled(value, pause = 250) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}
