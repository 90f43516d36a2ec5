// The colours: as the system, light or dark. The browser keeps the choice.
import { signal } from "@preact/signals";

const KEPT_IN = "patchbay.theme";

/** @typedef {""|"light"|"dark"} Theme */

/** @type {Record<Theme, Theme>} */
const NEXT = { "": "light", light: "dark", dark: "" };

/** @returns {Theme} */
function kept() {
  try {
    const found = localStorage.getItem(KEPT_IN);
    return found === "light" || found === "dark" ? found : "";
  } catch {
    return "";
  }
}

export const theme = signal(kept());

export function applyTheme() {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
  else delete document.documentElement.dataset.theme;
}

export function nextTheme() {
  theme.value = NEXT[theme.value];
  applyTheme();
  try {
    localStorage.setItem(KEPT_IN, theme.value);
  } catch {
    // A browser without storage forgets the choice.
  }
}
