// Sheets that slide over a screen: the rows of a list, the settings of a phone.
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ChoiceView } from "./content.js";
import { Icon } from "./icons.js";
import { SettingView } from "./settings.js";

/** A sheet takes the focus while it is open, and gives it back. */
function Sheet({ title, onClose, children }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    box.current.querySelector("button, input, select")?.focus();
    return () => before?.focus?.();
  }, []);
  const key = (event) => {
    if (event.key === "Escape") onClose();
    if (event.key !== "Tab") return;
    const all = [...box.current.querySelectorAll("button, input, select, a[href]")];
    const edge = event.shiftKey ? all[0] : all.at(-1);
    if (document.activeElement === edge) {
      event.preventDefault();
      (event.shiftKey ? all.at(-1) : all[0]).focus();
    }
  };
  return html`<div class="veil" onClick=${(event) => event.target === event.currentTarget && onClose()}>
    <div class="sheet" role="dialog" aria-label=${title} ref=${box} onKeyDown=${key}>
      <div class="sheet-head"><h3>${title}</h3><button class="round" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button></div>
      <div class="sheet-body">${children}</div>
    </div>
  </div>`;
}

export function ListSheet({ message, act, onClose }) {
  return html`<${Sheet} title=${message.list.button} onClose=${onClose}>
    ${message.list.sections.map((section, index) => html`<div class="rows" key=${index} role="group" aria-label=${section.title || message.list.button}>
      ${section.title && html`<h4>${section.title}</h4>`}
      ${section.choices.map((choice) => html`<${ChoiceView} key=${choice.id} choice=${choice} act=${act} onTap=${onClose} />`)}
    </div>`)}
  <//>`;
}

export function SettingsSheet({ channel, act, onClose }) {
  const settings = channel.settings() || [];
  return html`<${Sheet} title=${`Phone with ${channel.title}`} onClose=${onClose}>
    <div class="settings">${settings.map((setting) => html`<${SettingView} key=${setting.label} id=${channel.id} setting=${setting} act=${act} />`)}</div>
  <//>`;
}
