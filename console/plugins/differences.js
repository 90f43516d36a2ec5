// The calls in which a shadow decided differently from the live version, both answers side by side.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Link } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, useFilledPage } from "#ui/table.js";
import { addressOf, versionName } from "./facts.js";
import { Compare, Notice } from "./parts.js";

/** @param {{plugin: import("./types.js").Plugin}} props */
export function Differences({ plugin }) {
  const [page, setPage] = useState(0);
  const load = useLoad((signal) => api.get(addressOf(plugin.name, "/differences"), { page, size: 10 }, { signal }), [plugin.name, page]);
  useFilledPage(load.data, setPage);
  return html`<section class="stack"><div class="row between"><h2>${t("plugins.differences")}</h2>
      <${Button} kind="small" icon="refresh" busy=${load.busy} onClick=${load.reload}>${t("plugins.reload")}<//></div>
    <${Loaded} load=${load}>${(/** @type {any} */ found) => html`
      ${found.skipped.length > 0 && html`<${Notice} tone="warning" icon="warning">${t("plugins.skipped", { count: found.skipped.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.comparisons, 0) })}<//>`}
      ${found.content.length === 0 && html`<div class="card"><${Empty} icon="check" title=${t("plugins.noDifferences")}><p>${t("plugins.noDifferencesHint")}</p><//></div>`}
      <ul class="stack">${found.content.map((/** @type {any} */ one, /** @type {number} */ index) => html`<li key=${one.id} class="card">
        <details open=${index === 0}><summary class="row wrap"><time class="strong" title=${one.time ? fullTime(one.time) : undefined}>${one.time ? shortTime(one.time) : ""}</time>
          <span class="soft">${one.livePlugin} ${versionName(one.liveVersion)} · ${one.plugin} ${versionName(one.version)}</span></summary>
        <${Compare} left=${one.live} right=${one.shadow} leftTitle=${t("plugins.liveAnswer", { version: versionName(one.liveVersion) })} rightTitle=${t("plugins.shadowAnswer", { version: versionName(one.version) })} />
          <${Link} class="button small quiet" to=${`/plugins/${encodeURIComponent(plugin.name)}/conversations`} search=${{ chat: one.subjectId }}>${t("plugins.showConversation")}<//></details></li>`)}</ul>
      <${Pager} page=${found} onPage=${setPage} />`}<//></section>`;
}
