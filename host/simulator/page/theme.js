// The colours: as the system, light or dark. The browser keeps the choice.
import { signal } from "@preact/signals";

const KEPT_IN = "patchbay.theme";

function kept() {
  try {
    return localStorage.getItem(KEPT_IN) || "";
  } catch {
    return "";
  }
}

export const theme = signal(["light", "dark"].includes(kept()) ? kept() : "");

export function applyTheme() {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
  else delete document.documentElement.dataset.theme;
}

export function nextTheme() {
  theme.value = { "": "light", light: "dark", dark: "" }[theme.value];
  applyTheme();
  try {
    localStorage.setItem(KEPT_IN, theme.value);
  } catch {
    // A browser without storage forgets the choice.
  }
}
