// The form of a configuration: addresses, and the body of the chatbot webhook.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Button, Checkbox, Select, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";
import { hooks, TYPES } from "./calls.js";

/** @typedef {import("./calls.js").Configuration} Configuration */

/** @type {Partial<Configuration>} */
const EMPTY = { chatbotPayloadVersion: "v2", chatbotIncludeOutgoing: false, chatbotStopOnAgentAssignment: false };

/**
 * Without `config` it makes a new one: the default first, then overrides of numbers.
 * @param {{config?: Configuration, taken?: Configuration[], onClose: () => void, onSaved: (config: Configuration) => void}} props
 */
export function ConfigurationDialog({ config, taken = [], onClose, onSaved }) {
  const [form, setForm] = useState(/** @type {Partial<Configuration>} */ (config ?? EMPTY));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const forNumber = !config && taken.length > 0;
  const numbers = useLoad(async (signal) => (forNumber ? (await api.get("/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser", { size: 200 }, { signal })).content : []), [forNumber]);
  const free = (numbers.data ?? []).map((/** @type {any} */ one) => one.whatsAppNumber).filter((/** @type {any} */ one) => !taken.some((other) => other.whatsAppNumberId === one.id));
  const faults = faultsByField(error);
  const set = (/** @type {Partial<Configuration>} */ change) => setForm((before) => ({ ...before, ...change }));
  const submit = async () => {
    setBusy(true);
    try {
      const { whatsAppNumberMsisdn, ...given } = form;
      onSaved(await hooks.save(given));
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t(config ? "webhooks.edit" : forNumber ? "webhooks.addNumber" : "webhooks.setUp")} wide onClose=${onClose} onSubmit=${submit} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy} disabled=${forNumber && !form.whatsAppNumberId}>${t("common.save")}<//>`}>
    ${error && html`<${Fault} error=${error} />`}
    ${forNumber && (free.length || !numbers.data ? html`<${Select} label=${t("webhooks.number")} hint=${t("webhooks.numberHint")} value=${form.whatsAppNumberId ?? ""} onValue=${(/** @type {string} */ id) => set({ whatsAppNumberId: id })}
      options=${[["", t("webhooks.chooseNumber")], ...free.map((/** @type {any} */ one) => [one.id, `+${one.number}`])]} />` : html`<p class="soft small">${t("webhooks.noFreeNumber")}</p>`)}
    ${TYPES.map(([type, field]) => html`<${TextField} key=${field} label=${t(`webhooks.types.${type}`)} hint=${t(`webhooks.hints.${type}`)} fault=${faults[field]} type="url" inputmode="url" spellcheck=${false}
      placeholder="https://" value=${form[field] ?? ""} onValue=${(/** @type {string} */ value) => set({ [field]: value.trim() })} />`)}
    <fieldset class="stack tight"><legend class="strong bare-legend">${t("webhooks.chatbotBody")}</legend>
      <${Select} label=${t("webhooks.version")} value=${form.chatbotPayloadVersion ?? "v2"} options=${[["v2", "v2"], ["v1", "v1"]]} onValue=${(/** @type {string} */ version) => set({ chatbotPayloadVersion: version })} />
      <${Checkbox} label=${t("webhooks.includeOutgoing")} checked=${Boolean(form.chatbotIncludeOutgoing)} onValue=${(/** @type {boolean} */ on) => set({ chatbotIncludeOutgoing: on })} />
      <${Checkbox} label=${t("webhooks.stopOnAgent")} checked=${Boolean(form.chatbotStopOnAgentAssignment)} onValue=${(/** @type {boolean} */ on) => set({ chatbotStopOnAgentAssignment: on })} /></fieldset>
  <//>`;
}
