// Choices of the viewer that outlive the session: theme, language, sounds. They name no customer.
import { effect, signal } from "@preact/signals";

const STORED = "patchbay.preferences";

/** @typedef {{theme: "system" | "light" | "dark", language: string, sound: boolean, notifications: boolean, wideNav: boolean, panel: boolean}} Preferences */
/** @type {Preferences} */
const DEFAULTS = { theme: "system", language: "", sound: true, notifications: false, wideNav: true, panel: true };

/** @returns {Preferences} */
function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(STORED) ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}

/** @type {import("@preact/signals").Signal<Preferences>} */
export const preferences = signal(read());

/** @param {Partial<Preferences>} change */
export function prefer(change) {
  preferences.value = { ...preferences.value, ...change };
  try {
    localStorage.setItem(STORED, JSON.stringify(preferences.value));
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
}

effect(() => {
  const { theme } = preferences.value;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
});
