// One setting: a switch, a number, a text, a choice or a deed. Its value is that of the simulator, so it follows other readers, too.
import { html } from "htm/preact";
import { useId } from "preact/hooks";

function Hint({ id, text }) {
  return text ? html`<small id=${id}>${text}</small>` : null;
}

/** @param {{setting: import("./channels/channel.js").Setting, act: (deed: () => unknown) => Promise<boolean>}} props */
export function SettingView({ setting, act }) {
  const id = useId();
  const { kind, label, hint, value, set, options } = setting;
  const described = hint ? `${id}-hint` : undefined;
  if (kind === "heading") return html`<h4>${label}</h4>`;
  if (kind === "action") {
    return html`<div class="setting"><button class="plain" aria-describedby=${described} onClick=${() => act(() => set(undefined))}>${label}</button><${Hint} id=${described} text=${hint} /></div>`;
  }
  if (kind === "switch") {
    return html`<div class="setting"><label class="switch"><span>${label}</span>
      <input type="checkbox" role="switch" checked=${value} aria-describedby=${described} onChange=${(event) => act(() => set(event.currentTarget.checked))} /></label>
      <${Hint} id=${described} text=${hint} /></div>`;
  }
  const change = (event) => {
    const given = event.currentTarget.value.trim();
    return act(() => set(kind === "number" ? (given === "" ? null : Number(given)) : given));
  };
  const field = kind === "choice"
    ? html`<select aria-describedby=${described} value=${value} onChange=${change}>${options.map((one) => html`<option key=${one.id} value=${one.id}>${one.label}</option>`)}</select>`
    : html`<input type=${kind} min="0" value=${value ?? ""} aria-describedby=${described} list=${options ? `${id}-list` : undefined} onChange=${change} />`;
  return html`<div class="setting"><label class="field"><span>${label}</span>${field}</label>
    ${options && kind === "text" && html`<datalist id=${`${id}-list`}>${options.map((one) => html`<option key=${one.id} value=${one.id} label=${one.label}></option>`)}</datalist>`}
    <${Hint} id=${described} text=${hint} /></div>`;
}
