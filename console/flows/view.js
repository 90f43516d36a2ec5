// The part of the drawing that is seen: moved by dragging, the wheel and two fingers, and enlarged.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** A point of the drawing is at `x + scale * point`. @typedef {{x: number, y: number, scale: number}} View */
/** @typedef {{left: number, top: number, width: number, height: number}} Frame */

const LEAST = 0.2;
const MOST = 2;
const MARGIN = 32;
/** Texts of a smaller drawing cannot be read, so that a large flow shows its beginning. */
const LEAST_READABLE = 0.75;

/** @param {number} scale */
function bounded(scale) {
  return Math.min(MOST, Math.max(LEAST, scale));
}

/** The view after a change of the scale, with one point at its place. @param {View} view @param {number} factor @param {{x: number, y: number}} at @returns {View} */
export function zoomed(view, factor, at) {
  const scale = bounded(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** The view that shows a frame. @param {Frame} frame @param {{width: number, height: number}} size @param {boolean} readable @returns {View} */
export function fitted(frame, size, readable) {
  const all = Math.min((size.width - 2 * MARGIN) / frame.width, (size.height - 2 * MARGIN) / frame.height, 1);
  const scale = bounded(readable ? Math.max(all, LEAST_READABLE) : all);
  const wide = frame.width * scale + 2 * MARGIN > size.width + 1;
  const x = wide ? MARGIN - frame.left * scale : (size.width - frame.width * scale) / 2 - frame.left * scale;
  const high = frame.height * scale + 2 * MARGIN > size.height + 1;
  const y = high ? MARGIN - frame.top * scale : (size.height - frame.height * scale) / 2 - frame.top * scale;
  return { x, y, scale };
}

/** The view that shows a card, moved no more than needed. @param {View} view @param {Frame} card @param {{width: number, height: number}} size @returns {View} */
export function revealed(view, card, size) {
  const move = (/** @type {number} */ start, /** @type {number} */ length, /** @type {number} */ room) => {
    if (start < MARGIN) return MARGIN - start;
    return start + length > room - MARGIN ? Math.max(room - MARGIN - start - length, MARGIN - start) : 0;
  };
  const x = move(view.x + card.left * view.scale, card.width * view.scale, size.width);
  const y = move(view.y + card.top * view.scale, card.height * view.scale, size.height);
  return x || y ? { ...view, x: view.x + x, y: view.y + y } : view;
}

/** @param {{current: HTMLElement | null}} box the element that shows the drawing */
export function useView(box) {
  const [view, setView] = useState(/** @type {View} */ ({ x: MARGIN, y: MARGIN, scale: 1 }));
  const latest = useRef(view);
  latest.current = view;
  const size = useCallback(() => ({ width: box.current?.clientWidth ?? 1, height: box.current?.clientHeight ?? 1 }), []);
  const fit = useCallback((/** @type {Frame} */ frame, readable = false) => setView(fitted(frame, size(), readable)), []);
  const reveal = useCallback((/** @type {Frame} */ card) => setView((before) => revealed(before, card, size())), []);
  const zoom = useCallback((/** @type {number} */ factor) => setView((before) => zoomed(before, factor, { x: size().width / 2, y: size().height / 2 })), []);
  /** The point of the drawing under the pointer. */
  const pointOf = useCallback((/** @type {{clientX: number, clientY: number}} */ event) => {
    const corner = box.current?.getBoundingClientRect();
    const { x, y, scale } = latest.current;
    return { x: (event.clientX - (corner?.left ?? 0) - x) / scale, y: (event.clientY - (corner?.top ?? 0) - y) / scale };
  }, []);
  useEffect(() => {
    const element = box.current;
    const wheel = (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      const corner = /** @type {HTMLElement} */ (element).getBoundingClientRect();
      const at = { x: event.clientX - corner.left, y: event.clientY - corner.top };
      if (event.ctrlKey || event.metaKey) setView((before) => zoomed(before, Math.exp(-event.deltaY / 300), at));
      else setView((before) => ({ ...before, x: before.x - (event.shiftKey ? event.deltaY : event.deltaX), y: before.y - (event.shiftKey ? 0 : event.deltaY) }));
    };
    element?.addEventListener("wheel", wheel, { passive: false });
    return () => element?.removeEventListener("wheel", wheel);
  }, []);
  return { view, setView, fit, reveal, zoom, pointOf, pan: usePan(box, setView) };
}

/** Moves the view with one finger or the mouse, and enlarges it with two fingers. @param {{current: HTMLElement | null}} box @param {(next: (before: View) => View) => void} setView */
function usePan(box, setView) {
  const pointers = useRef(/** @type {Map<number, {x: number, y: number}>} */ (new Map()));
  const down = (/** @type {PointerEvent} */ event) => {
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    box.current?.setPointerCapture(event.pointerId);
  };
  const move = (/** @type {PointerEvent} */ event) => {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    pointers.current.set(event.pointerId, now);
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    setView((view) => ({ ...view, x: view.x + (now.x - before.x) / pointers.current.size, y: view.y + (now.y - before.y) / pointers.current.size }));
    if (!other) return;
    const corner = box.current?.getBoundingClientRect();
    const apart = (/** @type {{x: number, y: number}} */ one) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
    setView((view) => zoomed(view, apart(now) / apart(before), { x: (now.x + other.x) / 2 - (corner?.left ?? 0), y: (now.y + other.y) / 2 - (corner?.top ?? 0) }));
  };
  const up = (/** @type {PointerEvent} */ event) => pointers.current.delete(event.pointerId);
  return { down, move, up };
}
