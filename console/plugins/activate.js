// Activates a version: where, in which mode, with which configuration, hosts and limits.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { Button, Select, Switch, TextArea, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { FLOW_PLUGIN } from "../flows/plugin.js";
import { addressOf, placeName, secretNames, versionName } from "./facts.js";
import { HttpLimitFields, ownLimits } from "./http-limits.js";
import { Notice } from "./parts.js";
import { JsonField, SchemaForm } from "./schema-form.js";

/** @typedef {import("./types.js").Activation} Activation */
/** @typedef {import("./types.js").Plugin} Plugin */

const MODES = ["live", "canary", "shadow"];

/** @param {{plugin: Plugin, inboxes: import("./types.js").Inbox[], version?: number, of?: Activation, mode?: string, onClose: () => void, onDone: () => void}} props */
export function ActivateDialog({ plugin, inboxes, version: wanted, of, mode: wantedMode, onClose, onDone }) {
  const versions = plugin.source === "uploaded" ? plugin.versions ?? [] : [];
  const [version, setVersion] = useState(wanted ?? of?.version ?? versions[0]?.version);
  const [place, setPlace] = useState(of?.whatsAppNumberId ?? "");
  const [mode, setMode] = useState(wantedMode ?? of?.mode ?? "live");
  const present = presentOf(plugin, place, version, mode);
  const [percent, setPercent] = useState(of?.mode === "canary" ? of.percent : 10);
  const [threshold, setThreshold] = useState(of?.errorThreshold ?? 10);
  const [minimum, setMinimum] = useState(of?.minimumCalls ?? 20);
  const [keep, setKeep] = useState(Boolean(present));
  // At a place without an activation there is nothing to keep.
  const keeps = keep && Boolean(present);
  const [config, setConfig] = useState(/** @type {any} */ (present?.config ?? {}));
  const [hosts, setHosts] = useState((present?.allowedHosts ?? []).join("\n"));
  const [limits, setLimits] = useState(ownLimits(present?.httpLimits));
  // The editor of flows has a form; the schema alone makes a poor one.
  const [asJson, setAsJson] = useState(plugin.name === FLOW_PLUGIN);
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const chosen = versions.find((one) => one.version === version);
  const schema = chosen?.configSchema ?? (versions.length ? undefined : plugin.configSchema);
  const imports = chosen?.imports ?? plugin.imports;
  const usesHttp = imports.some((one) => one.startsWith("patchbay:plugin/http@"));
  const faults = faultsByField(fault);
  // If the place has an activation, the dialog begins with its settings.
  const choosePlace = (/** @type {string} */ next) => {
    const there = presentOf(plugin, next, version, mode);
    setPlace(next);
    if (!there) return;
    setKeep(true);
    setConfig(there.config);
    setHosts(there.allowedHosts.join("\n"));
    setLimits(ownLimits(there.httpLimits));
  };
  const send = async () => {
    setBusy(true);
    setFault(null);
    try {
      const done = await api.post(addressOf(plugin.name, "/activate"), {
        ...(versions.length && version ? { version } : {}), mode, ...(place ? { whatsAppNumberId: place } : {}),
        ...(mode === "canary" ? { percent, errorThreshold: threshold, minimumCalls: minimum } : {}),
        ...(keeps ? {} : { config: config ?? {}, allowedHosts: hosts.split(/[\s,]+/).filter(Boolean), httpLimits: limits }),
      });
      report(t("plugins.activated", { name: plugin.name, version: versionName(done.version), mode: t(`plugins.mode_${mode}`), place: placeName(done.whatsAppNumberId, inboxes) }));
      onDone();
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t("plugins.activateName", { name: plugin.name })} wide=${true} onClose=${onClose} onSubmit=${send} foot=${html`
      <${Button} onClick=${onClose}>${t("common.cancel")}<//>
      <${Button} kind="primary" type="submit" icon="play" busy=${busy}>${t("plugins.activate")}<//>`}>
    <div class="form-grid">
      ${versions.length > 0 && html`<${Select} label=${t("plugins.version")} value=${String(version)} options=${versions.map((one) => [String(one.version), versionName(one.version)])} onValue=${(/** @type {string} */ next) => setVersion(Number(next))} fault=${faults.version} />`}
      <${Select} label=${t("plugins.place")} value=${place} options=${[["", t("plugins.allInboxes")], ...inboxes.map((one) => [one.id, one.number])]} onValue=${choosePlace} fault=${faults.whatsAppNumberId} />
      <${Select} label=${t("plugins.mode")} value=${mode} options=${MODES.map((one) => [one, t(`plugins.mode_${one}`)])} onValue=${setMode} hint=${t(`plugins.modeHint_${mode}`)} fault=${faults.mode} />
      ${mode === "canary" && html`<${TextField} label=${t("plugins.share")} type="number" min="1" max="99" value=${String(percent)} onValue=${(/** @type {string} */ next) => setPercent(Number(next))} fault=${faults.percent} />
        <${TextField} label=${t("plugins.threshold")} type="number" min="1" max="100" value=${String(threshold)} onValue=${(/** @type {string} */ next) => setThreshold(Number(next))} fault=${faults.errorThreshold} hint=${t("plugins.thresholdHint", { minimum })} />
        <${TextField} label=${t("plugins.minimumCalls")} type="number" min="1" value=${String(minimum)} onValue=${(/** @type {string} */ next) => setMinimum(Number(next))} fault=${faults.minimumCalls} />`}
    </div>
    ${present && html`<${Switch} label=${t("plugins.keepConfig", { version: versionName(present.version) })} checked=${keep} onValue=${setKeep} />`}
    ${!keeps && html`
      ${schema && html`<div class="row between"><h3>${t("plugins.configuration")}</h3><${Switch} label=${t("plugins.asJson")} checked=${asJson} onValue=${setAsJson} /></div>`}
      ${present?.secrets.length ? html`<${Notice} icon="lock">${t("plugins.secretsAgain", { names: secretNames(present) })}<//>` : null}
      ${schema && !asJson ? html`<${SchemaForm} schema=${schema} value=${config} onValue=${setConfig} faults=${faults} />`
        : html`<${JsonField} key=${asJson ? "json" : "plain"} label=${t("plugins.configurationJson")} value=${config} onValue=${(/** @type {any} */ next) => setConfig(next ?? {})} fault=${faults.config} />`}
      ${usesHttp && html`<${TextArea} label=${t("plugins.hosts")} hint=${t("plugins.hostsHint")} value=${hosts} onValue=${setHosts} class="mono" rows="2" spellcheck=${false} fault=${faults.allowedHosts} />
        <${HttpLimitFields} limits=${limits} onValue=${setLimits} faults=${faults} />`}`}
    ${fault && html`<${Fault} error=${fault} />`}
  <//>`;
}

/** The activation whose configuration the server keeps: the same version in force, otherwise the live one. @param {Plugin} plugin @param {string} place @param {number | undefined} version @param {string} mode */
function presentOf(plugin, place, version, mode) {
  const here = (plugin.activations ?? []).filter((one) => (one.whatsAppNumberId ?? "") === place);
  return here.find((one) => one.version === version && one.mode === mode) ?? here.find((one) => one.version === version) ?? here.find((one) => one.mode === "live");
}
