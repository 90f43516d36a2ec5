// Loading for components: a value from the API with its fault, and lists page by page.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/**
 * Loads a value when the component appears and when `inputs` change. The former value stays until the next one is there, unless
 * `inputs` changed. An answer that comes too late is dropped.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {any[]} inputs
 * @returns {{data?: T, error?: unknown, busy: boolean, reload: () => void, replace: (data: T) => void}}
 */
export function useLoad(load, inputs) {
  const [state, setState] = useState(/** @type {{data?: T, error?: unknown, busy: boolean, of?: string}} */ ({ busy: true }));
  const [turn, setTurn] = useState(0);
  const of = JSON.stringify(inputs);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const control = new AbortController();
    setState((before) => ({ data: before.of === of ? before.data : undefined, busy: true, of }));
    latest.current(control.signal).then(
      (data) => !control.signal.aborted && setState({ data, busy: false, of }),
      (error) => !control.signal.aborted && setState((before) => ({ ...before, error, busy: false })),
    );
    return () => control.abort();
  }, [of, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const replace = useCallback((/** @type {T} */ data) => setState((before) => ({ ...before, data, error: undefined })), []);
  return state.of === of ? { ...state, reload, replace } : { busy: true, reload, replace };
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

/** A value that follows another after a pause, for searches. @template T @param {T} value @param {number} [pause] in milliseconds @returns {T} */
export function useSettled(value, pause = 250) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}
