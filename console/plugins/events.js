// The history of a plugin: uploads, activations, rollbacks, ended canaries.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { known, t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { fullTime, shortTime } from "#app/time.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, Table } from "#ui/table.js";
import { addressOf, versionName } from "./facts.js";

/** @param {{plugin: import("./types.js").Plugin}} props */
export default function Events({ plugin }) {
  const [page, setPage] = useState(0);
  const load = useLoad((signal) => api.get(addressOf(plugin.name, "/events"), { page, size: 50 }, { signal }), [plugin.name, page]);
  const columns = [
    { key: "time", title: t("plugins.time"), cell: (/** @type {any} */ one) => html`<time title=${fullTime(one.time)}>${shortTime(one.time)}</time>` },
    { key: "kind", title: t("plugins.event"), cell: (/** @type {any} */ one) => html`<strong>${known(`plugins.kind_${one.kind}`) ?? one.kind}</strong>` },
    { key: "version", title: t("plugins.version"), cell: (/** @type {any} */ one) => (one.version ? versionName(one.version) : "") },
    { key: "reason", title: t("plugins.reason"), cell: (/** @type {any} */ one) => html`<span class="pre">${one.reason ?? ""}</span>` },
  ];
  return html`<${Loaded} load=${load}>${(/** @type {any} */ found) => (found.content.length
    ? html`<${Table} label=${t("plugins.tab_events")} columns=${columns} rows=${found.content} /><${Pager} page=${found} onPage=${setPage} />`
    : html`<${Empty} icon="clock" title=${t("plugins.noEvents")} />`)}<//>`;
}
