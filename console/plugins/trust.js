// The keys that may sign uploads, and whether others are refused.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useChange, useLoad } from "#app/load.js";
import { Button, Switch, TextArea, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault, Loaded } from "#ui/states.js";

const TRUST = "/plugin-service/api/v1/plugin-trust";

/** @typedef {{name: string, keyId: string, publicKey: string, fingerprint: string, createdTime: string}} Key */

/** @param {{onClose: () => void}} props */
export function TrustDialog({ onClose }) {
  const load = useLoad((signal) => api.get(TRUST, {}, { signal }), []);
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const { fault, attempt } = useChange(load);
  const add = async () => {
    if (!(await attempt(() => api.post(`${TRUST}/keys`, { name, publicKey: key })))) return;
    setName("");
    setKey("");
  };
  return html`<${Dialog} title=${t("plugins.trust")} wide=${true} onClose=${onClose} onSubmit=${add} foot=${html`
      <${Button} onClick=${onClose}>${t("common.close")}<//>
      <${Button} kind="primary" type="submit" icon="plus" disabled=${!name || !key}>${t("plugins.addKey")}<//>`}>
    <${Loaded} load=${load}>${(/** @type {{signedOnly: boolean, keys: Key[]}} */ trust) => html`<div class="stack">
      <${Switch} label=${t("plugins.signedOnly")} checked=${trust.signedOnly} onValue=${(/** @type {boolean} */ signedOnly) => attempt(() => api.put(TRUST, { signedOnly }))} />
      ${trust.keys.length ? html`<ul class="stack tight" aria-label=${t("plugins.keys")}>${trust.keys.map((one) => html`<li key=${one.name} class="row">
          <span class="grow"><strong>${one.name}</strong> <span class="soft">${one.keyId}</span> <code class="tiny" title=${one.fingerprint}>${one.publicKey}</code></span>
          <${Button} kind="quiet small" icon="trash" label=${t("plugins.removeKey", { name: one.name })} onClick=${() => attempt(() => api.remove(`${TRUST}/keys/${encodeURIComponent(one.name)}`))} /></li>`)}</ul>`
        : html`<p class="small soft">${t("plugins.noKeys")}</p>`}</div>`}<//>
    ${fault && html`<${Fault} error=${fault} />`}
    <${TextField} label=${t("plugins.keyName")} value=${name} onValue=${setName} spellcheck=${false} autocomplete="off" />
    <${TextArea} label=${t("plugins.publicKey")} hint=${t("plugins.publicKeyHint")} value=${key} onValue=${setKey} rows="3" spellcheck=${false} />
  <//>`;
}
