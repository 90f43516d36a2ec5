// Whether the panel of the customer is shown: next to the chat on wide screens, over it on others.
import { computed, signal } from "@preact/signals";
import { prefer, preferences } from "#app/preferences.js";

const query = matchMedia("(min-width: 1181px)");
const wide = signal(query.matches);
const over = signal(false);
query.addEventListener("change", () => {
  wide.value = query.matches;
});

export const panelShown = computed(() => (wide.value ? preferences.value.panel : over.value));

/** @param {boolean} [shown] */
export function showPanel(shown = !panelShown.peek()) {
  if (wide.peek()) prefer({ panel: shown });
  else over.value = shown;
}
