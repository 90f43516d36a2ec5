// Rolls back, after a sentence that says what will change: version, configuration, hosts, limits.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Button, Select } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault, Loaded, SkeletonList } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { addressOf, placeName, secretNames, versionName } from "./facts.js";
import { limitWords } from "./http-limits.js";
import { Compare, Notice } from "./parts.js";

/** @typedef {import("./types.js").Activation} Activation */
/** @typedef {import("./types.js").Plugin} Plugin */

/** @param {{plugin: Plugin, inboxes: import("./types.js").Inbox[], to?: number, of?: Activation, onClose: () => void, onDone: () => void}} props */
export function RollbackDialog({ plugin, inboxes, to, of, onClose, onDone }) {
  const [version, setVersion] = useState(to ? String(to) : "");
  const [place, setPlace] = useState(of?.whatsAppNumberId ?? "");
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const body = { ...(version ? { version: Number(version) } : {}), ...(place ? { whatsAppNumberId: place } : {}) };
  const preview = useLoad((signal) => api.post(addressOf(plugin.name, "/rollback"), { ...body, preview: true }, { signal }), [version, place]);
  const send = async () => {
    setBusy(true);
    setFault(null);
    try {
      const done = await api.post(addressOf(plugin.name, "/rollback"), body);
      report(t("plugins.rolledBack", { name: done.plugin, version: versionName(done.version), place: placeName(done.whatsAppNumberId, inboxes) }));
      onDone();
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  const versions = plugin.source === "uploaded" ? plugin.versions ?? [] : [];
  return html`<${Dialog} title=${t("plugins.rollBackName", { name: plugin.name })} wide=${true} onClose=${onClose} onSubmit=${send} foot=${html`
      <${Button} onClick=${onClose}>${t("common.cancel")}<//>
      <${Button} kind="danger primary" type="submit" icon="undo" busy=${busy} disabled=${!preview.data}>${t("plugins.rollBack")}<//>`}>
    <div class="form-grid">
      <${Select} label=${t("plugins.rollBackTo")} value=${version} options=${[["", t("plugins.previous")], ...versions.map((one) => [String(one.version), versionName(one.version)])]} onValue=${setVersion} />
      <${Select} label=${t("plugins.place")} value=${place} options=${[["", t("plugins.allInboxes")], ...inboxes.map((one) => [one.id, one.number])]} onValue=${setPlace} />
    </div>
    <${Loaded} load=${preview} skeleton=${html`<${SkeletonList} rows=${2} />`}>${(/** @type {any} */ next) => html`<${Change} before=${next.before} after=${next} inboxes=${inboxes} />`}<//>
    ${fault && html`<${Fault} error=${fault} />`}
  <//>`;
}

/** @param {{before: Activation | null, after: Activation, inboxes: import("./types.js").Inbox[]}} props */
function Change({ before, after, inboxes }) {
  const configs = !before || JSON.stringify(before.config) !== JSON.stringify(after.config);
  return html`<${Notice} icon="undo" tone="warning"><p class="rollback-sentence">${sentence(before, after, inboxes)}</p><//>
    ${before && configs && html`<${Compare} left=${before.config} right=${after.config} leftTitle=${t("plugins.configNow")} rightTitle=${t("plugins.configAfter")} />`}`;
}

/** The change in words. @param {Activation | null} before @param {Activation} after @param {import("./types.js").Inbox[]} inboxes */
export function sentence(before, after, inboxes) {
  const place = placeName(after.whatsAppNumberId, inboxes);
  const version = versionName(after.version);
  const words = [];
  if (!before) words.push(t("plugins.changeNone", { place, name: after.plugin, version }));
  else if (before.mode !== "live") words.push(t("plugins.changeTrial", { mode: t(`plugins.mode_${before.mode}`), trial: versionName(before.version), place, name: after.plugin, version }));
  else if (before.plugin !== after.plugin || before.version !== after.version) words.push(t("plugins.changeVersion", { place, before: `${before.plugin} ${versionName(before.version)}`, after: `${after.plugin} ${version}` }));
  else words.push(t("plugins.changeSame", { place, name: after.plugin, version }));
  if (!before || before.mode !== "live") return words.concat(t("plugins.changeKeeps")).join(" ");
  const names = [...new Set([...Object.keys(before.config ?? {}), ...Object.keys(after.config ?? {})])].filter((name) => JSON.stringify(before.config?.[name]) !== JSON.stringify(after.config?.[name]));
  words.push(names.length ? t("plugins.changeConfig", { names: names.join(", ") }) : t("plugins.changeNoConfig"));
  // The former activation has its own secrets, which the API does not show.
  if (after.secrets.length) words.push(t("plugins.changeSecrets", { names: secretNames(after) }));
  const gone = before.allowedHosts.filter((one) => !after.allowedHosts.includes(one));
  const added = after.allowedHosts.filter((one) => !before.allowedHosts.includes(one));
  if (gone.length) words.push(t("plugins.changeHostsGone", { hosts: gone.join(", ") }));
  if (added.length) words.push(t("plugins.changeHostsAdded", { hosts: added.join(", ") }));
  if (!gone.length && !added.length) words.push(t("plugins.changeNoHosts"));
  const [limitsBefore, limitsAfter] = [limitWords(before.httpLimits), limitWords(after.httpLimits)];
  if (limitsBefore !== limitsAfter) words.push(t("plugins.changeLimits", { before: limitsBefore, after: limitsAfter }));
  return words.join(" ");
}
