// A button with a menu. It opens over everything, stays inside the window, and works by arrow keys.
import { html } from "htm/preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, Keys } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";

/**
 * @typedef {{text?: string, icon?: string, keys?: string, danger?: boolean, disabled?: boolean, checked?: boolean, run?: () => void,
 *   title?: string, divider?: boolean, short?: boolean}} MenuItem
 * An item with `title` heads a group; one with `divider` is a line. Items with `short` stand in one row.
 */

/** @param {{items: MenuItem[] | (() => MenuItem[]), label: string, icon?: string, kind?: string, children?: any, [other: string]: any}} props */
export function Menu({ items, label, icon, kind = "quiet", children, ...rest }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const anchor = useRef(/** @type {HTMLElement | null} */ (null));
  const close = (/** @type {boolean} */ focus) => {
    setOpen(false);
    if (focus) anchor.current?.querySelector("button")?.focus();
  };
  return html`<span class="menu-anchor" ref=${anchor}>
    <${Button} kind=${kind} icon=${icon} label=${label} aria-haspopup="menu" aria-expanded=${open ? "true" : "false"} aria-controls=${open ? id : undefined}
      onClick=${() => setOpen(!open)} ...${rest}>${children}<//>
    ${open && html`<${MenuList} id=${id} label=${label} anchor=${anchor} items=${typeof items === "function" ? items() : items} close=${close} />`}
  </span>`;
}

/** @param {{id: string, label: string, anchor: {current: HTMLElement | null}, items: MenuItem[], close: (focus: boolean) => void}} props */
function MenuList({ id, label, anchor, items, close }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const menu = list.current;
    const button = anchor.current;
    if (!menu || !button) return undefined;
    menu.showPopover();
    place(menu, button.getBoundingClientRect());
    (enabled(menu)[0] ?? menu).focus();
    const outside = (/** @type {Event} */ event) => {
      const target = /** @type {Node} */ (event.target);
      if (!menu.contains(target) && !button.contains(target)) close(false);
    };
    const away = () => close(false);
    document.addEventListener("pointerdown", outside, true);
    addEventListener("resize", away);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", away);
    };
  }, []);
  const run = (/** @type {MenuItem} */ item) => {
    close(true);
    item.run?.();
  };
  return html`<div ref=${list} id=${id} class="menu" role="menu" aria-label=${label} popover="manual" tabindex="-1"
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => move(event, list.current, close)}>
    ${items.map((item, index) => {
      if (item.divider) return html`<hr key=${index} />`;
      if (item.title) return html`<div key=${index} class="menu-title" role="presentation">${item.title}</div>`;
      return html`<button key=${index} type="button" class=${`menu-item ${item.danger ? "danger" : ""} ${item.short ? "short" : ""}`} tabindex="-1" disabled=${item.disabled}
        role=${item.checked === undefined ? "menuitem" : "menuitemradio"} aria-checked=${item.checked === undefined ? undefined : String(item.checked)}
        onClick=${() => run(item)}>
        ${item.icon && html`<${Icon} name=${item.icon} />`}<span class="grow">${item.text}</span>
        ${item.checked && html`<${Icon} name="check" size="small" />`}${item.keys && html`<${Keys} keys=${item.keys} />`}
      </button>`;
    })}
  </div>`;
}

/** @param {HTMLElement} menu @returns {HTMLButtonElement[]} */
function enabled(menu) {
  return [...menu.querySelectorAll("button")].filter((one) => !one.disabled);
}

/** @param {KeyboardEvent} event @param {HTMLElement | null} menu @param {(focus: boolean) => void} close */
function move(event, menu, close) {
  if (!menu) return;
  const choices = enabled(menu);
  const at = choices.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  event.stopPropagation();
  if (event.key in steps) {
    event.preventDefault();
    const to = steps[/** @type {keyof typeof steps} */ (event.key)];
    choices[(to + choices.length) % choices.length]?.focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    close(true);
  }
}

/** Puts the menu below its button, or above it if there is no room. @param {HTMLElement} menu @param {DOMRect} at */
function place(menu, at) {
  const { width, height } = menu.getBoundingClientRect();
  const below = at.bottom + 4 + height <= innerHeight || at.top < height;
  const left = at.left + width > innerWidth - 8 ? at.right - width : at.left;
  menu.style.top = `${Math.max(8, Math.min(below ? at.bottom + 4 : at.top - height - 4, innerHeight - height - 8))}px`;
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
}
