// Activates a flow, after a sentence that says what changes.
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Button, Select, TextArea, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { PLUGINS, addressOf, placeName, versionName } from "../plugins/facts.js";
import { Notice } from "../plugins/parts.js";
import { SecretField } from "../plugins/secret-field.js";
import { sentence } from "./changes.js";
import { hostsOf, secretsOf } from "./model.js";
import { FLOW_PLUGIN } from "./plugin.js";

/** @typedef {import("../plugins/types.js").Activation} Activation */

const MODES = ["live", "canary", "shadow"];

/** All activations of chatbots. @param {AbortSignal} signal @returns {Promise<Activation[]>} */
async function activations(signal) {
  const page = await api.get(PLUGINS, { size: 500 }, { signal });
  return page.content.filter((/** @type {any} */ one) => one.world === "chatbot").flatMap((/** @type {any} */ one) => one.activations ?? []);
}

/**
 * @param {{flow: import("./model.js").Flow, origin: {mode: string, place: string | null, activation?: Activation}, inboxes: import("../plugins/types.js").Inbox[], findings: number,
 *   onClose: () => void, onDone: (mode: string, place: string | null) => void}} props
 */
export function ActivateFlow({ flow, origin, inboxes, findings, onClose, onDone }) {
  const load = useLoad(activations, []);
  const [place, setPlace] = useState(origin.place ?? "");
  const [mode, setMode] = useState(origin.mode);
  const [percent, setPercent] = useState(origin.activation?.mode === "canary" ? origin.activation.percent : 10);
  const needed = useMemo(() => hostsOf(flow), [flow]);
  const [text, setText] = useState(() => [...new Set([...(origin.activation?.allowedHosts ?? []), ...(origin.activation ? [] : needed)])].join("\n"));
  const names = useMemo(() => secretsOf(flow), [flow]);
  const [secrets, setSecrets] = useState(/** @type {Record<string, any>} */ (flow.secrets ?? {}));
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const hosts = text.split(/[\s,]+/).filter(Boolean);
  const absent = needed.filter((one) => !hosts.includes(one));
  const here = (load.data ?? []).filter((one) => (one.whatsAppNumberId ?? "") === place);
  const before = here.find((one) => one.mode === mode) ?? (mode === "live" ? undefined : here.find((one) => one.mode === "live" && one.plugin === FLOW_PLUGIN));
  const words = load.data && sentence({ before, flow, hosts, mode, percent, place: place || null, inboxes });
  const send = async () => {
    setBusy(true);
    setFault(null);
    try {
      const config = names.length ? { ...flow, secrets: Object.fromEntries(names.map((name) => [name, secrets[name] ?? ""])) } : flow;
      const done = await api.post(addressOf(FLOW_PLUGIN, "/activate"), { mode, ...(place ? { whatsAppNumberId: place } : {}), ...(mode === "canary" ? { percent } : {}), config, allowedHosts: hosts });
      report(t("plugins.activated", { name: FLOW_PLUGIN, version: versionName(done.version), mode: t(`plugins.mode_${mode}`), place: placeName(done.whatsAppNumberId, inboxes) }));
      onDone(mode, done.whatsAppNumberId);
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t("flows.activateTitle")} wide=${true} onClose=${onClose} onSubmit=${send} foot=${html`
      <${Button} onClick=${onClose}>${t("common.cancel")}<//>
      <${Button} kind="primary" type="submit" icon="play" busy=${busy} disabled=${!load.data || findings > 0}>${t("plugins.activate")}<//>`}>
    <div class="form-grid">
      <${Select} label=${t("plugins.place")} value=${place} options=${[["", t("plugins.allInboxes")], ...inboxes.map((one) => [one.id, one.number])]} onValue=${setPlace} />
      <${Select} label=${t("plugins.mode")} value=${mode} options=${MODES.map((one) => [one, t(`plugins.mode_${one}`)])} onValue=${setMode} hint=${t(`plugins.modeHint_${mode}`)} />
      ${mode === "canary" && html`<${TextField} label=${t("plugins.share")} type="number" min="1" max="99" value=${String(percent)} onValue=${(/** @type {string} */ next) => setPercent(Number(next))} />`}
    </div>
    ${findings > 0 && html`<${Notice} tone="danger" icon="alert">${t("flows.mend", { count: findings })}<//>`}
    ${words && html`<${Notice} icon="play" tone="warning"><p class="rollback-sentence">${words}</p><//>`}
    ${load.error && html`<${Fault} error=${load.error} retry=${load.reload} />`}
    ${(needed.length > 0 || hosts.length > 0) && html`<${TextArea} label=${t("plugins.hosts")} hint=${t("plugins.hostsHint")} value=${text} onValue=${setText} class="mono" rows="2" spellcheck=${false} />
      ${absent.length > 0 && html`<p class="row wrap small"><span class="grow">${t("flows.hostAbsent", { hosts: absent.join(", ") })}</span><${Button} kind="small" icon="plus" onClick=${() => setText([...hosts, ...absent].join("\n"))}>${t("flows.allowThem")}<//></p>`}`}
    ${names.length > 0 && html`<fieldset class="schema-group"><legend>${t("flows.field_secrets")}</legend><p class="tiny soft">${t("flows.secretsAgain")}</p>
      ${names.map((name) => html`<${SecretField} key=${name} label=${name} required=${true} value=${secrets[name] ?? ""} onValue=${(/** @type {any} */ next) => setSecrets({ ...secrets, [name]: next })} />`)}</fieldset>`}
    ${fault && html`<${Fault} error=${fault} />`}
  <//>`;
}
