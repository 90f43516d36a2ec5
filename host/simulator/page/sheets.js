// Sheets that slide over a screen: the rows of a list, the settings of a phone.
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ChoiceView } from "./content.js";
import { Icon } from "./icons.js";
import { SettingView } from "./settings.js";

/** @typedef {import("./channels/channel.js").Act} Act */

/** A sheet takes the focus while it is open, and gives it back. @param {{title: string, onClose: () => void, children?: unknown}} props */
function Sheet({ title, onClose, children }) {
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  useLayoutEffect(() => {
    const before = document.activeElement;
    /** @type {HTMLElement|null|undefined} */
    const first = box.current?.querySelector("button, input, select");
    first?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  /** @param {EventOf<HTMLElement, KeyboardEvent>} event */
  const key = (event) => {
    if (event.key === "Escape") onClose();
    if (event.key !== "Tab") return;
    /** @type {NodeListOf<HTMLElement>} */
    const fields = event.currentTarget.querySelectorAll("button, input, select, a[href]");
    const all = [...fields];
    const [edge, next] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
    if (document.activeElement === edge) {
      event.preventDefault();
      next?.focus();
    }
  };
  return html`<div class="veil" onClick=${(/** @type {EventOf<HTMLElement>} */ event) => event.target === event.currentTarget && onClose()}>
    <div class="sheet" role="dialog" aria-label=${title} ref=${box} onKeyDown=${key}>
      <div class="sheet-head"><h3>${title}</h3><button class="round" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button></div>
      <div class="sheet-body">${children}</div>
    </div>
  </div>`;
}

/** @param {{list: NonNullable<import("./channels/model.js").Message["list"]>, act: Act, onClose: () => void}} props */
export function ListSheet({ list, act, onClose }) {
  return html`<${Sheet} title=${list.button} onClose=${onClose}>
    ${list.sections.map((section, index) => html`<div class="rows" key=${index} role="group" aria-label=${section.title || list.button}>
      ${section.title && html`<h4>${section.title}</h4>`}
      ${section.choices.map((choice) => html`<${ChoiceView} key=${choice.id} choice=${choice} act=${act} onTap=${onClose} />`)}
    </div>`)}
  <//>`;
}

/** @param {{channel: import("./channels/channel.js").Channel, act: Act, onClose: () => void}} props */
export function SettingsSheet({ channel, act, onClose }) {
  const settings = channel.settings() || [];
  return html`<${Sheet} title=${`Phone with ${channel.title}`} onClose=${onClose}>
    <div class="settings">${settings.map((setting) => html`<${SettingView} key=${setting.label} setting=${setting} act=${act} />`)}</div>
  <//>`;
}
