// The panel of the world: a switch for each fault, deeds of the providers, and the calls that went over the wire.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { call, reasonOf } from "./call.js";
import { activeFaults, GROUPS, shownValue, valueOf } from "./faults.js";
import { Icon } from "./icons.js";
import { views } from "./live.js";
import { SettingView } from "./settings.js";
import { Wire } from "./wire.js";

/** @typedef {import("./channels/channel.js").Act} Act */

/** @param {import("./faults.js").PlainFault|import("./faults.js").ChoiceFault} fault @param {import("./faults.js").Faults} faults @returns {import("./channels/channel.js").Setting} */
function settingOf(fault, faults) {
  const { key, label, hint } = fault;
  const value = shownValue(key, faults[key]);
  /** @param {boolean|number|string|null} given */
  const set = (given) => call("POST", "/simulator/faults", { [key]: valueOf(key, given) });
  if (fault.kind === "choice") return { kind: "choice", label, hint, options: fault.options, value: String(value ?? ""), set };
  if (fault.kind === "number") return { kind: "number", label, hint, value: typeof value === "number" ? value : null, set };
  return { kind: "switch", label, hint, value: value === true, set };
}

/** @param {{faults: import("./faults.js").Faults, act: Act}} props */
function Faults({ faults, act }) {
  return GROUPS.map((group) => html`<fieldset key=${group.title} class="settings"><legend>${group.title}</legend>
    ${group.faults.map((fault) => html`<${SettingView} key=${fault.key} act=${act}
      setting=${settingOf(fault, faults)} />`)}
  </fieldset>`);
}

/** @param {{act: Act}} props */
function Deeds({ act }) {
  return html`<fieldset class="settings"><legend>Now</legend>
    <${SettingView} act=${act} setting=${{ kind: "action", label: "Cut the links of the SMS centre", set: () => call("POST", "/simulator/smsc/drop", {}) }} />
    <${SettingView} act=${act} setting=${{ kind: "action", label: "Post waiting callbacks", set: () => call("POST", "/simulator/retry", {}) }} />
  </fieldset>`;
}

/** @param {{onClose: () => void}} props */
export function Panel({ onClose }) {
  const [problem, setProblem] = useState("");
  const world = views.world.value;
  /** @type {Act} */
  const act = async (deed) => {
    try {
      await deed();
      setProblem("");
      return true;
    } catch (error) {
      setProblem(reasonOf(error));
      return false;
    }
  };
  const active = activeFaults(world?.faults).length;
  return html`<aside class="panel" id="panel" aria-label="Faults and the wire">
    <div class="panel-head"><h2>The outside world</h2>
      <button class="round" aria-label="Close the panel" onClick=${onClose}><${Icon} name="close" /></button></div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${world ? html`<div class="panel-body" tabindex="0" role="group" aria-label="Faults">
      <${Wire} requests=${world.requests} callbacks=${world.callbacks} />
      <div class="faults-head"><h3>Faults</h3>
        <button class="plain" disabled=${active === 0} onClick=${() => act(() => call("DELETE", "/simulator/faults"))}>All off</button></div>
      <p class="soft">Patchbay must cope with each of these. Switch one on and write on a phone.</p>
      <${Faults} faults=${world.faults} act=${act} />
      <${Deeds} act=${act} />
    </div>` : html`<p class="soft">Connecting…</p>`}
  </aside>`;
}
