// The overlay of `?`: all shortcuts that work on the present page.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { t } from "#app/i18n.js";
import { shortcuts } from "#app/keys.js";
import { Keys } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";

export const helpOpen = signal(false);

export function Help() {
  if (!helpOpen.value) return null;
  /** @type {Map<string, import("#app/keys.js").Shortcut[]>} */
  const groups = new Map();
  for (const one of shortcuts().reverse()) {
    const group = one.group ?? t("shell.everywhere");
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return html`<${Dialog} title=${t("shell.shortcuts")} wide=${true} onClose=${() => (helpOpen.value = false)}>
    <div class="help">${[...groups].map(([group, list]) => html`<section key=${group}><h3>${group}</h3>
      <dl>${list.map((one) => html`<div key=${one.keys + one.text} class="row between"><dt>${one.text}</dt><dd><${Keys} keys=${one.keys} /></dd></div>`)}</dl></section>`)}</div>
  <//>`;
}
