// The requests of the client, to find out why a call was refused.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useSettled } from "#app/load.js";
import { milliseconds } from "#app/numbers.js";
import { go, query } from "#app/router.js";
import { fullTime } from "#app/time.js";
import { Button, Select, Tag, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { PagedTable } from "../developers/paged.js";
import { Code, Fact, Id, Time } from "../developers/parts.js";

/** @typedef {{requestId: string, time: string, method: string, path: string, status: number, durationMillis: number, userId: string, keyStart: string, body?: string}} LoggedRequest */

const METHODS = ["GET", "POST", "PUT", "DELETE"];

/** @param {{status: number}} props */
function Status({ status }) {
  return html`<${Tag} tone=${status >= 500 ? "danger" : status >= 400 ? "warning" : "success"}>${status}<//>`;
}

export function Requests() {
  const { requestId = "", status = "", method = "", path = "" } = query.value;
  const [typed, setTyped] = useState({ requestId, path });
  const settled = useSettled(typed);
  const [turn, setTurn] = useState(0);
  const [open, setOpen] = useState(/** @type {LoggedRequest | null} */ (null));
  const filter = (/** @type {Record<string, string>} */ change) => go("/administration/requests", { search: { ...settled, status, method, ...change }, replace: true });
  const columns = [
    { key: "time", title: t("webhooks.time"), cell: (/** @type {LoggedRequest} */ one) => html`<${Time} time=${one.time} />` },
    { key: "status", title: t("sends.state"), cell: (/** @type {LoggedRequest} */ one) => html`<${Status} status=${one.status} />` },
    { key: "method", title: t("administration.method"), cell: (/** @type {LoggedRequest} */ one) => html`<code>${one.method}</code>` },
    { key: "path", title: t("administration.path"), cell: (/** @type {LoggedRequest} */ one) => html`<code class="path">${one.path}</code>` },
    { key: "duration", title: t("webhooks.duration"), end: true, cell: (/** @type {LoggedRequest} */ one) => milliseconds(one.durationMillis) },
    { key: "key", title: t("administration.key"), cell: (/** @type {LoggedRequest} */ one) => html`<code>${one.keyStart}…</code>` },
  ];
  return html`<div class="filters">
      <${TextField} label="requestId" value=${typed.requestId} onValue=${(/** @type {string} */ value) => setTyped({ ...typed, requestId: value.trim() })} />
      <${TextField} label=${t("administration.path")} placeholder="/whatsapp-api-service" value=${typed.path} onValue=${(/** @type {string} */ value) => setTyped({ ...typed, path: value.trim() })} />
      <${Select} label=${t("sends.state")} value=${status} options=${[["", t("administration.all")], ["2xx", "2xx"], ["4xx", "4xx"], ["5xx", "5xx"], ...["400", "401", "403", "404", "409", "429"].map((one) => [one, one])]} onValue=${(/** @type {string} */ value) => filter({ status: value })} />
      <${Select} label=${t("administration.method")} value=${method} options=${[["", t("administration.all")], ...METHODS.map((one) => [one, one])]} onValue=${(/** @type {string} */ value) => filter({ method: value })} />
      <span class="grow"></span><div class="row"><${Button} icon="refresh" label=${t("developers.reload")} onClick=${() => setTurn(turn + 1)} /></div></div>
    <${PagedTable} label=${t("administration.parts.requests")} path="/api/v1/requests" query=${{ ...settled, status, method }} columns=${columns} turn=${turn}
      rowKey=${(/** @type {LoggedRequest} */ one) => one.requestId} onOpen=${setOpen} empty=${{ icon: "list", title: t("administration.noRequests"), text: t("administration.requestsText") }} />
    ${open && html`<${Dialog} title=${`${open.method} ${open.path}`} wide onClose=${() => setOpen(null)}><dl class="facts">
      <${Fact} label="requestId"><${Id} id=${open.requestId} /><//><${Fact} label=${t("webhooks.time")} value=${fullTime(open.time)} /><${Fact} label=${t("sends.state")}><${Status} status=${open.status} /><//>
      <${Fact} label=${t("webhooks.duration")} value=${milliseconds(open.durationMillis)} /><${Fact} label=${t("administration.key")} value=${`${open.keyStart}…`} /><${Fact} label=${t("administration.user")}><${Id} id=${open.userId} /><//></dl>
      ${open.body ? html`<${Code} title=${t("webhooks.body")} text=${open.body} />` : html`<p class="soft small">${t("administration.noRequestBody")}</p>`}<//>`}`;
}
