// One setting: a switch, a number, a text, a choice or a deed. Its value is that of the simulator, so it follows other readers, too.
import { html } from "htm/preact";
import { useId } from "preact/hooks";

/**
 * @typedef {import("./channels/channel.js").Setting} Setting
 * @typedef {import("./channels/channel.js").Act} Act
 */

/** @param {{id: string|undefined, text: string|undefined}} props */
function Hint({ id, text }) {
  return text ? html`<small id=${id}>${text}</small>` : null;
}

/** @param {{setting: Setting, act: Act}} props */
export function SettingView({ setting, act }) {
  const id = useId();
  const { label, hint } = setting;
  const described = hint ? `${id}-hint` : undefined;
  if (setting.kind === "heading") return html`<h4>${label}</h4>`;
  if (setting.kind === "action") {
    return html`<div class="setting"><button class="plain" aria-describedby=${described} onClick=${() => act(setting.set)}>${label}</button><${Hint} id=${described} text=${hint} /></div>`;
  }
  if (setting.kind === "switch") {
    return html`<div class="setting"><label class="switch"><span>${label}</span>
      <input type="checkbox" role="switch" checked=${setting.value} aria-describedby=${described} onChange=${(/** @type {EventOf<HTMLInputElement>} */ event) => act(() => setting.set(event.currentTarget.checked))} /></label>
      <${Hint} id=${described} text=${hint} /></div>`;
  }
  /** @param {EventOf<HTMLInputElement|HTMLSelectElement>} event */
  const change = (event) => {
    const given = event.currentTarget.value.trim();
    return act(() => (setting.kind === "number" ? setting.set(given === "" ? null : Number(given)) : setting.set(given)));
  };
  const options = setting.kind === "text" ? setting.options : undefined;
  const field = setting.kind === "choice"
    ? html`<select aria-describedby=${described} value=${setting.value} onChange=${change}>${setting.options.map((one) => html`<option key=${one.id} value=${one.id}>${one.label}</option>`)}</select>`
    : html`<input type=${setting.kind} min="0" value=${setting.value ?? ""} aria-describedby=${described} list=${options ? `${id}-list` : undefined} onChange=${change} />`;
  return html`<div class="setting"><label class="field"><span>${label}</span>${field}</label>
    ${options && html`<datalist id=${`${id}-list`}>${options.map((one) => html`<option key=${one.id} value=${one.id} label=${one.label}></option>`)}</datalist>`}
    <${Hint} id=${described} text=${hint} /></div>`;
}
