// Where a plugin is in force, whether it is suspended, and its versions.
import { html } from "htm/preact";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Link } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Menu } from "#ui/menu.js";
import { Empty } from "#ui/states.js";
import { Table } from "#ui/table.js";
import { report, reportFault } from "#ui/toast.js";
import { FLOW_PLUGIN, flowPath } from "../flows/plugin.js";
import { addressOf, byPlace, placeName, scopeOf, secretNames, sizeOf, sorted, versionName } from "./facts.js";
import { Figures, Suspension, useHealth } from "./health.js";
import { limitWords, ownLimits } from "./http-limits.js";
import { SignatureTag } from "./origin.js";
import { Code, ModeTag, Notice } from "./parts.js";
import { hostFunctions } from "./upload.js";

/** @typedef {import("./types.js").Activation} Activation */
/** @typedef {import("./types.js").Health} Health */
/** @typedef {import("./types.js").Plugin} Plugin */
/** @typedef {import("./types.js").Version} Version */

/** @param {{plugin: Plugin, inboxes: import("./types.js").Inbox[], reload: () => void, open: (dialog: any) => void}} props */
export function Overview({ plugin, inboxes, reload, open }) {
  const places = byPlace(plugin.activations ?? []);
  const health = useHealth(plugin.name);
  return html`<div class="stack loose">
    ${plugin.lastError && html`<${Notice} tone="danger" icon="alert"><strong>${t("plugins.broken")}</strong> <span class="pre">${plugin.lastError}</span><//>`}
    <section class="stack"><h2>${t("plugins.inForce")}</h2>
      ${places.length ? html`<div class="grid wide-grid">${places.map(([id, activations]) => html`<${Place} key=${id} ...${{ id, activations, plugin, inboxes, health, reload, open }} />`)}</div>`
        : html`<div class="card"><${Empty} icon="pause" title=${t("plugins.notInForce")}><p>${t("plugins.notInForceHint")}</p>
          <${Button} kind="primary" icon="play" onClick=${() => open({ kind: "activate" })}>${t("plugins.activate")}<//><//></div>`}
    </section>
    <section class="stack"><h2>${t("plugins.versions")}</h2><${Versions} plugin=${plugin} open=${open} /></section>
  </div>`;
}

/** @param {{id: string, activations: Activation[], plugin: Plugin, inboxes: import("./types.js").Inbox[], health: Map<string, Health>, reload: () => void, open: (dialog: any) => void}} props */
function Place({ id, activations, plugin, inboxes, health, reload, open }) {
  const place = placeName(id || null, inboxes);
  const all = sorted(activations);
  return html`<article class="card stack" aria-label=${place}>
    <div class="row"><h3 class="grow number">${place}</h3>
      <${Menu} label=${t("plugins.actionsFor", { place })} icon="more" kind="quiet small" items=${[
        { text: t("plugins.rollBack"), icon: "undo", run: () => open({ kind: "rollback", of: all[0] }) },
        { text: t("plugins.deactivate"), icon: "pause", danger: true, run: () => deactivate(plugin, all[0], place, reload) },
      ]} /></div>
    ${all.map((one) => html`<${InForce} key=${one.id} activation=${one} health=${health.get(one.id)} plugin=${plugin} open=${open} />`)}
  </article>`;
}

/** @param {{activation: Activation, health?: Health, plugin: Plugin, open: (dialog: any) => void}} props */
function InForce({ activation: one, health, plugin, open }) {
  const trial = one.mode !== "live";
  return html`<div class="stack tight activation">
    <div class="row wrap"><${ModeTag} mode=${one.mode} percent=${one.percent} /><strong>${versionName(one.version)}</strong>
      <time class="soft tiny since" title=${fullTime(one.activatedTime)}>${t("plugins.since", { time: shortTime(one.activatedTime) })}</time>
      ${trial ? html`<${Link} class="button small" to=${`/plugins/${encodeURIComponent(plugin.name)}/trial`}><${Icon} name="chart" size="small" />${t("plugins.watch")}<//>`
        : html`<${Button} kind="small" icon="settings" onClick=${() => open({ kind: "activate", of: one })}>${t("plugins.change")}<//>`}
      ${plugin.name === FLOW_PLUGIN && html`<${Link} class="button small" to=${flowPath(one)}><${Icon} name="flow" size="small" />${t("flows.edit")}<//>`}</div>
    <${Suspension} health=${health} />
    <dl class="facts">
      <${Figures} health=${health} />
      <dt>${t("plugins.configuration")}</dt><dd>${Object.keys(one.config ?? {}).length ? html`<details><summary class="small">${t("plugins.fields", { count: Object.keys(one.config).length })}</summary><${Code} value=${one.config} label=${t("plugins.configuration")} /></details>` : t("plugins.usual")}</dd>
      ${one.secrets.length > 0 && html`<dt>${t("plugins.secrets")}</dt><dd>${secretNames(one)}</dd>`}
      <dt>${t("plugins.hosts")}</dt><dd>${one.allowedHosts.length ? one.allowedHosts.join(", ") : t("common.none")}</dd>
      ${Object.keys(ownLimits(one.httpLimits)).length > 0 && html`<dt>${t("plugins.httpLimits")}</dt><dd>${limitWords(one.httpLimits)}</dd>`}
      ${one.recording && html`<dt>${t("plugins.recording")}</dt><dd>${one.recording.stopReason ?? t("plugins.recordsUntil", { time: shortTime(one.recording.until) })}</dd>`}
    </dl></div>`;
}

/** @param {{plugin: Plugin, open: (dialog: any) => void}} props */
function Versions({ plugin, open }) {
  const users = useLoad((signal) => api.get("/api/v1/users", { size: 500 }, { signal }).catch(() => ({ content: [] })), []);
  if (plugin.source !== "uploaded") return html`<p class="small soft">${t(`plugins.sourceHint_${plugin.source}`)}</p>`;
  const nameOf = (/** @type {string | null | undefined} */ id) => users.data?.content.find((/** @type {any} */ user) => user.id === id)?.name ?? "";
  const modes = (/** @type {Version} */ one) => (plugin.activations ?? []).filter((active) => active.version === one.version);
  const columns = [
    { key: "version", title: t("plugins.version"), cell: (/** @type {Version} */ one) => html`<span class="row"><strong>${versionName(one.version)}</strong>${modes(one).map((active) => html`<${ModeTag} key=${active.id} mode=${active.mode} percent=${active.percent} />`)}</span>` },
    { key: "time", title: t("plugins.uploadedTime"), cell: (/** @type {Version} */ one) => html`<time title=${fullTime(one.createdTime)}>${shortTime(one.createdTime)}</time> <span class="soft">${nameOf(one.createdBy)}</span>` },
    { key: "functions", title: t("plugins.hostFunctions"), cell: (/** @type {Version} */ one) => html`<span class="soft">${hostFunctions(one.imports) || t("common.none")}</span>` },
    { key: "signature", title: t("plugins.signature"), cell: (/** @type {Version} */ one) => html`<${SignatureTag} version=${one} />` },
    { key: "hash", title: "SHA-256", cell: (/** @type {Version} */ one) => html`<code class="tiny" title=${one.sha256}>${one.sha256.slice(0, 12)}</code>` },
    { key: "size", title: t("plugins.size"), end: true, cell: (/** @type {Version} */ one) => sizeOf(one.size) },
    { key: "act", title: t("plugins.actions"), hideTitle: true, end: true, cell: (/** @type {Version} */ one) => html`<span class="row version-actions">
      <${Button} kind="small" onClick=${() => open({ kind: "activate", version: one.version })}>${t("plugins.activate")}<span class="hidden-text"> ${versionName(one.version)}</span><//>
      <${Menu} label=${t("plugins.actionsFor", { place: versionName(one.version) })} icon="more" kind="quiet small" items=${[
        { text: t("plugins.asCanary"), icon: "chart", run: () => open({ kind: "activate", version: one.version, mode: "canary" }) },
        { text: t("plugins.asShadow"), icon: "panel", run: () => open({ kind: "activate", version: one.version, mode: "shadow" }) },
        { text: t("plugins.rollBackHere"), icon: "undo", run: () => open({ kind: "rollback", version: one.version }) },
        { text: t("plugins.origin"), icon: "info", run: () => open({ kind: "origin", version: one, user: nameOf(one.createdBy) }) },
        { text: t("plugins.verify"), icon: "check", run: () => verify(plugin.name, one.version) },
      ]} /></span>` },
  ];
  return html`<${Table} label=${t("plugins.versions")} columns=${columns} rows=${plugin.versions ?? []} rowKey=${(/** @type {Version} */ one) => String(one.version)} />`;
}

/** @param {Plugin} plugin @param {Activation} activation @param {string} place @param {() => void} reload */
async function deactivate(plugin, activation, place, reload) {
  if (!(await confirm({ title: t("plugins.deactivateTitle", { name: plugin.name }), text: t("plugins.deactivateText", { place }), action: t("plugins.deactivate"), danger: true }))) return;
  try {
    await api.post(addressOf(plugin.name, "/deactivate"), scopeOf(activation));
    report(t("plugins.deactivated", { name: plugin.name, place }));
    reload();
  } catch (error) {
    reportFault(error);
  }
}

/** @param {string} name @param {number} version */
async function verify(name, version) {
  try {
    const found = await api.post(addressOf(name, "/verify"), { version });
    report(found.intact ? t("plugins.intact", { version: versionName(version) }) : t("plugins.notIntact", { version: versionName(version), problems: found.problems.join("; ") }), { icon: found.intact ? "check" : "alert" });
  } catch (error) {
    reportFault(error);
  }
}
