// Buttons, fields and small marks. A component passes further properties on to its element.
import { html } from "htm/preact";
import { useId } from "preact/hooks";
import { Icon } from "#ui/icons.js";

/**
 * A button. With `icon` and `label` but no children it shows the icon alone, and `label` is its name and its tip. With children, `label`
 * is read before them.
 * @param {{kind?: string, icon?: string, label?: string, busy?: boolean, disabled?: boolean, class?: string, children?: any, [other: string]: any}} props
 */
export function Button({ kind = "", icon, label, busy = false, disabled = false, class: more = "", onClick, children, ...rest }) {
  // A busy button keeps the focus, which the browser takes from a disabled one.
  const click = busy ? (/** @type {Event} */ event) => event.preventDefault() : onClick;
  const alone = icon && !hasChildren(children);
  return html`<button type="button" class=${`button ${kind} ${alone ? "icon" : ""} ${more}`} aria-label=${alone ? label : undefined} title=${alone ? label : undefined}
    aria-busy=${busy ? "true" : undefined} aria-disabled=${busy ? "true" : undefined} disabled=${disabled} onClick=${click} ...${rest}>
    ${icon && html`<${Icon} name=${icon} size=${kind.includes("small") ? "small" : undefined} />`}${!alone && label && html`<span class="hidden-text">${label}</span>`}${children}
  </button>`;
}

/** @param {any} children */
function hasChildren(children) {
  return Array.isArray(children) ? children.some(hasChildren) : children !== undefined && children !== null && children !== false;
}

/**
 * A label with its control, a hint and a fault. `children` is a function from the attributes that join them to the control.
 * @param {{label: string, hint?: string, fault?: string, hideLabel?: boolean, children: (attributes: object) => any}} props
 */
export function Field({ label, hint, fault, hideLabel = false, children }) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  return html`<div class="field">
    <label for=${id} class=${hideLabel ? "hidden-text" : ""}>${label}</label>
    ${children({ id, "aria-describedby": described, "aria-invalid": fault ? "true" : undefined })}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${fault && html`<p class="fault" id=${`${id}-fault`}>${fault}</p>`}
  </div>`;
}

/** @param {{label: string, hint?: string, fault?: string, hideLabel?: boolean, value: string, onValue?: (value: string) => void, [other: string]: any}} props */
export function TextField({ label, hint, fault, hideLabel, value, onValue, class: more = "", ...rest }) {
  return html`<${Field} ...${{ label, hint, fault, hideLabel }}>${(/** @type {object} */ joined) => html`
    <input class=${`input ${more}`} value=${value} onInput=${(/** @type {any} */ event) => onValue?.(event.currentTarget.value)} ...${joined} ...${rest} />`}<//>`;
}

/** @param {{label: string, hint?: string, fault?: string, hideLabel?: boolean, value: string, onValue?: (value: string) => void, [other: string]: any}} props */
export function TextArea({ label, hint, fault, hideLabel, value, onValue, class: more = "", ...rest }) {
  return html`<${Field} ...${{ label, hint, fault, hideLabel }}>${(/** @type {object} */ joined) => html`
    <textarea class=${`input ${more}`} value=${value} onInput=${(/** @type {any} */ event) => onValue?.(event.currentTarget.value)} ...${joined} ...${rest}></textarea>`}<//>`;
}

/**
 * A choice of one. `options` are pairs of value and text.
 * @param {{label: string, hint?: string, fault?: string, hideLabel?: boolean, value: string, options: Array<[string, string]>, onValue?: (value: string) => void, [other: string]: any}} props
 */
export function Select({ label, hint, fault, hideLabel, value, options, onValue, class: more = "", ...rest }) {
  return html`<${Field} ...${{ label, hint, fault, hideLabel }}>${(/** @type {object} */ joined) => html`
    <select class=${`input ${more}`} value=${value} onChange=${(/** @type {any} */ event) => onValue?.(event.currentTarget.value)} ...${joined} ...${rest}>
      ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
    </select>`}<//>`;
}

/** @param {{label: string, value: string, placeholder?: string, onValue: (value: string) => void, [other: string]: any}} props */
export function SearchField({ label, value, placeholder, onValue, ...rest }) {
  return html`<div class="search grow"><${Icon} name="search" />
    <input class="input" type="search" aria-label=${label} placeholder=${placeholder ?? label} value=${value} spellcheck=${false} autocomplete="off"
      onInput=${(/** @type {any} */ event) => onValue(event.currentTarget.value)} ...${rest} /></div>`;
}

/** @param {{label: any, checked: boolean, onValue: (checked: boolean) => void, [other: string]: any}} props */
export function Checkbox({ label, checked, onValue, ...rest }) {
  return html`<label class="check"><input type="checkbox" checked=${checked}
    onChange=${(/** @type {any} */ event) => onValue(event.currentTarget.checked)} ...${rest} /><span>${label}</span></label>`;
}

/** @param {{label: any, checked: boolean, onValue: (checked: boolean) => void, [other: string]: any}} props */
export function Switch({ label, checked, onValue, ...rest }) {
  return html`<button type="button" role="switch" class="switch" aria-checked=${checked ? "true" : "false"} onClick=${() => onValue(!checked)} ...${rest}>
    <i></i><span>${label}</span></button>`;
}

/** @param {{tone?: string, icon?: string, title?: string, children?: any}} props */
export function Tag({ tone = "", icon, title, children }) {
  return html`<span class=${`tag ${tone}`} title=${title}>${icon && html`<${Icon} name=${icon} size="small" />`}${children}</span>`;
}

/** @param {{name: string, small?: boolean}} props */
export function Avatar({ name, small = false }) {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 6007, 7) % 6;
  return html`<span class=${`avatar ${small ? "small" : ""}`} data-hue=${hue} aria-hidden="true">${initials(name)}</span>`;
}

/** @param {string} name */
function initials(name) {
  const words = name.split(/\s+/).filter((word) => /[\p{L}]/u.test(word));
  const letters = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return letters.map((word) => [...word].find((one) => /[\p{L}]/u.test(one)) ?? "").join("").toUpperCase() || name.slice(-2);
}

/** Shows the keys of a shortcut, such as `Ctrl+K`. @param {{keys: string}} props */
export function Keys({ keys }) {
  return keys.split(" ").map((chord) => chord.split("+").map((key) => html`<kbd key=${key}>${key}</kbd>`));
}
