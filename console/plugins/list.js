// The plugins of the client and the built-in ones, with the versions that are in force.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { Link } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button, SearchField, Tag } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, Table, useFilledPage } from "#ui/table.js";
import { PLUGINS, listInboxes, placeName, sizeOf, sorted, versionName } from "./facts.js";
import { ModeTag } from "./parts.js";
import { SecretsDialog } from "./secrets.js";
import { TrustDialog } from "./trust.js";
import { UploadDialog, useDrop } from "./upload.js";

/** @typedef {import("./types.js").Plugin} Plugin */

export function PluginList() {
  const [text, setText] = useState("");
  const [page, setPage] = useState(0);
  const [upload, setUpload] = useState(/** @type {null | {file?: File}} */ (null));
  const [trusting, setTrusting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const search = useSettled(text.trim());
  const load = useLoad((signal) => api.get(PLUGINS, { page, size: 50, searchString: search }, { signal }), [search, page]);
  useFilledPage(load.data, setPage);
  const inboxes = useLoad(listInboxes, []);
  const dropping = useDrop((file) => setUpload({ file }));
  const columns = [
    { key: "name", title: t("plugins.name"), cell: (/** @type {Plugin} */ one) => html`<${Link} class="cell-link" to=${`/plugins/${encodeURIComponent(one.name)}`}>${one.name}<//>` },
    { key: "world", title: t("plugins.world"), cell: (/** @type {Plugin} */ one) => html`<span class="soft">${one.world ? t(`plugins.world_${one.world}`) : ""}</span>` },
    { key: "active", title: t("plugins.inForce"), cell: (/** @type {Plugin} */ one) => html`<${InForce} plugin=${one} inboxes=${inboxes.data ?? []} />` },
    { key: "newest", title: t("plugins.newest"), cell: (/** @type {Plugin} */ one) => (one.source === "uploaded" ? html`<span title=${one.createdTime ? fullTime(one.createdTime) : undefined}>${versionName(one.version)} <span class="soft">${one.createdTime ? shortTime(one.createdTime) : ""}</span></span>` : html`<span class="soft">${t(`plugins.source_${one.source}`)}</span>`) },
    { key: "size", title: t("plugins.size"), end: true, cell: (/** @type {Plugin} */ one) => (one.size ? sizeOf(one.size) : "") },
  ];
  return html`<div class=${`page ${dropping.over ? "drop-here" : ""}`} ...${dropping.listeners}>
    <header class="page-head"><h1>${t("nav.plugins")}</h1>
      <div class="plugin-search"><${SearchField} label=${t("plugins.search")} value=${text} onValue=${(/** @type {string} */ next) => (setText(next), setPage(0))} /></div>
      <${Button} icon="lock" onClick=${() => setSharing(true)}>${t("plugins.sharedSecrets")}<//>
      <${Button} icon="key" onClick=${() => setTrusting(true)}>${t("plugins.trust")}<//>
      <${Button} kind="primary" icon="upload" onClick=${() => setUpload({})}>${t("plugins.upload")}<//></header>
    <div class="page-body flush">
      <p class="drop-note small soft"><${Icon} name="upload" size="small" />${t("plugins.dropHint")}</p>
      <${Loaded} load=${load}>${(/** @type {any} */ found) => (found.content.length
        ? html`<${Table} label=${t("plugins.list")} columns=${columns} rows=${found.content} rowKey=${(/** @type {Plugin} */ one) => one.name} /><${Pager} page=${found} onPage=${setPage} />`
        : html`<${Empty} icon="plug" title=${t("inbox.nothingFound")} />`)}<//></div>
    ${sharing && html`<${SecretsDialog} inboxes=${inboxes.data ?? []} onClose=${() => setSharing(false)} />`}
    ${trusting && html`<${TrustDialog} onClose=${() => setTrusting(false)} />`}
    ${upload && html`<${UploadDialog} file=${upload.file} onClose=${() => setUpload(null)} onDone=${() => (setUpload(null), load.reload())} />`}
  </div>`;
}

/** @param {{plugin: Plugin, inboxes: import("./types.js").Inbox[]}} props */
function InForce({ plugin, inboxes }) {
  if (plugin.state === "BROKEN") return html`<${Tag} tone="danger" icon="alert" title=${plugin.lastError ?? undefined}>${t("plugins.broken")}<//>`;
  if (!plugin.activations?.length) return html`<span class="faint">${t("plugins.notInForce")}</span>`;
  return html`<span class="row wrap">${sorted(plugin.activations).map((one) => html`<span key=${one.id} class="row in-force"><${ModeTag} mode=${one.mode} percent=${one.percent} />
    <span>${versionName(one.version)}</span>${one.whatsAppNumberId && html`<span class="soft number">${placeName(one.whatsAppNumberId, inboxes)}</span>`}</span>`)}</span>`;
}
