// Shortcuts of the keyboard. A page registers its own while it is shown; `?` lists all that work.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * `keys`: one key (`j`, `?`), a chord (`Ctrl+K`; `Ctrl` is also the command key of a Mac), or two keys in turn (`g i`).
 * `anywhere`: it works while the viewer writes, too.
 * @typedef {{keys: string, text: string, group?: string, anywhere?: boolean, run: (event: KeyboardEvent) => void}} Shortcut
 */

/** @type {import("@preact/signals").Signal<Array<{current: Shortcut[]}>>} */
const registered = signal([]);
const SEQUENCE_MS = 1200;
/** The key that may begin a sequence, and the time of its event. */
let first = "";
let firstTime = 0;

/** All shortcuts that work now, the latest first. @returns {Shortcut[]} */
export function shortcuts() {
  return registered.value.flatMap((one) => one.current).reverse();
}

/** Registers shortcuts while a component is shown. They work as soon as it can be seen. @param {Shortcut[]} given */
export function useShortcuts(given) {
  const box = useRef(given);
  box.current = given;
  useLayoutEffect(() => {
    registered.value = [...registered.value, box];
    return () => {
      registered.value = registered.value.filter((one) => one !== box);
    };
  }, []);
}

/** @param {EventTarget | null} target */
function isWriting(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !/^(checkbox|radio|button)$/.test(target.getAttribute("type") ?? ""));
}

/** @param {KeyboardEvent} event */
function chord(event) {
  const modifier = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? (modifier ? event.key.toUpperCase() : event.key) : event.key;
  const shift = event.shiftKey && (modifier || event.key.length > 1);
  return `${modifier ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const pressed = chord(event);
  const writing = isWriting(event.target);
  const modal = document.querySelector("dialog[open]");
  const works = shortcuts().filter((one) => one.anywhere || (!writing && !modal));
  // By the times of the events: a page that stands still for a while does not break a sequence.
  const before = event.timeStamp - firstTime < SEQUENCE_MS ? first : "";
  const found = (before && works.find((one) => one.keys === `${before} ${pressed}`)) || works.find((one) => one.keys === pressed);
  first = "";
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (!writing && works.some((one) => one.keys.startsWith(`${pressed} `))) {
    first = pressed;
    firstTime = event.timeStamp;
  }
});
