// Facts that pages add to the navigation: numbers, and entries below their own.
import { signal } from "@preact/signals";

/** Numbers behind entries, by the path of the entry. @type {import("@preact/signals").Signal<Record<string, number>>} */
export const navCounts = signal({});
/** Entries below the one of the page, by its path. @type {import("@preact/signals").Signal<Record<string, Array<{to: string, text: string, icon: string, count: string}>>>} */
export const navEntries = signal({});
