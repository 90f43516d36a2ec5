// The shared secrets of the client: their plugins, their uses, and new values. Values are never shown.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useChange, useLoad } from "#app/load.js";
import { fullTime } from "#app/time.js";
import { Button, TextArea, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault, Loaded } from "#ui/states.js";
import { placeName, versionName } from "./facts.js";

export const SECRETS = "/plugin-service/api/v1/secrets";
const ALL = "*";

/** @typedef {{plugin: string, version: number | null, mode: string, whatsAppNumberId: string | null}} Use */
/** @typedef {{name: string, plugins: string[], usedBy: Use[], valueTime: string}} Secret */

/** @param {{inboxes: import("./types.js").Inbox[], onClose: () => void}} props */
export function SecretsDialog({ inboxes, onClose }) {
  const load = useLoad((signal) => api.get(SECRETS, {}, { signal }), []);
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [plugins, setPlugins] = useState("");
  const { fault, attempt } = useChange(load);
  const known = (/** @type {string} */ wanted) => load.data?.secrets.some((/** @type {Secret} */ one) => one.name === wanted);
  const fill = (/** @type {string} */ next, /** @type {string[]} */ granted) => {
    setName(next);
    setPlugins(granted.join(", "));
    setValue("");
  };
  const save = async () => {
    const change = { ...(value ? { value } : {}), plugins: plugins.split(/[\s,]+/).filter(Boolean) };
    if (await attempt(() => api.put(`${SECRETS}/${encodeURIComponent(name)}`, change))) fill("", []);
  };
  const faults = faultsByField(fault);
  return html`<${Dialog} title=${t("plugins.sharedSecrets")} wide=${true} onClose=${onClose} onSubmit=${save} foot=${html`
      <${Button} onClick=${onClose}>${t("common.close")}<//>
      <${Button} kind="primary" type="submit" icon="lock" disabled=${!name || (!value && !known(name))}>${t("plugins.saveSecret")}<//>`}>
    <p class="small soft">${t("plugins.secretsText")}</p>
    <${Loaded} load=${load}>${(/** @type {{secrets: Secret[]}} */ found) => (found.secrets.length
      ? html`<ul class="stack tight" aria-label=${t("plugins.sharedSecrets")}>${found.secrets.map((one) => html`<li key=${one.name} class="row">
          <span class="grow"><strong>${one.name}</strong> <span class="soft">${grantedTo(one.plugins)}</span>
            <span class="tiny soft" title=${fullTime(one.valueTime)}>${t("plugins.valueOf", { time: fullTime(one.valueTime) })}</span>
            ${one.usedBy.map((use) => html`<p key=${`${use.plugin} ${use.mode} ${use.whatsAppNumberId}`} class="tiny soft">${t("plugins.usedBy", { plugin: use.plugin, version: versionName(use.version), mode: t(`plugins.mode_${use.mode}`), place: placeName(use.whatsAppNumberId, inboxes) })}</p>`)}</span>
          <${Button} kind="quiet small" icon="edit" label=${t("plugins.changeSecret", { name: one.name })} onClick=${() => fill(one.name, one.plugins)} />
          <${Button} kind="quiet small" icon="trash" label=${t("plugins.removeSecret", { name: one.name })} onClick=${() => attempt(() => api.remove(`${SECRETS}/${encodeURIComponent(one.name)}`))} /></li>`)}</ul>`
      : html`<p class="small soft">${t("plugins.noSecrets")}</p>`)}<//>
    ${fault && html`<${Fault} error=${fault} />`}
    <${TextField} label=${t("plugins.secretName")} value=${name} onValue=${setName} fault=${faults.name} spellcheck=${false} autocomplete="off" />
    <${TextArea} label=${t("plugins.secretValue")} hint=${t(known(name) ? "plugins.secretValueKept" : "plugins.secretHint")} value=${value} onValue=${setValue} fault=${faults.value} rows="2" spellcheck=${false} autocomplete="off" class="mono" />
    <${TextField} label=${t("plugins.secretPlugins")} hint=${t("plugins.secretPluginsHint")} value=${plugins} onValue=${setPlugins} fault=${faults.plugins} spellcheck=${false} autocomplete="off" />
  <//>`;
}

/** @param {string[]} plugins */
function grantedTo(plugins) {
  if (plugins.includes(ALL)) return t("plugins.forAllPlugins");
  return plugins.length ? plugins.join(", ") : t("plugins.forNoPlugin");
}
