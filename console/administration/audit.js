// The audit trail: search, export, and the check of its chain.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api, download } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { instant } from "#app/time.js";
import { Button, Select, TextField } from "#ui/controls.js";
import { Menu } from "#ui/menu.js";
import { PagedTable } from "../developers/paged.js";
import { attempt, Time } from "../developers/parts.js";

/** @typedef {{id: string, number: number, time: string, actor: string, action: string, targetKind: string, targetId: string, hash: string}} Entry */

const EMPTY = { actor: "", action: "", targetKind: "", targetId: "", from: "", to: "" };

export function Audit() {
  const [form, setForm] = useState(EMPTY);
  const settled = useSettled(form);
  const [checked, setChecked] = useState(/** @type {any} */ (null));
  const users = useLoad((signal) => api.get("/api/v1/users", { size: 500 }, { signal }), []);
  /** @type {Map<string, string>} */
  const names = new Map((users.data?.content ?? []).map((/** @type {any} */ one) => [one.id, one.name]));
  const set = (/** @type {keyof typeof EMPTY} */ key) => (/** @type {string} */ value) => setForm((before) => ({ ...before, [key]: value }));
  const query = { actor: settled.actor, action: settled.action.trim(), targetKind: settled.targetKind.trim(), targetId: settled.targetId.trim(), from: instant(settled.from), to: instant(settled.to) };
  const save = (/** @type {string} */ format) => attempt(() => download("/api/v1/audit/export", { ...query, format }, `audit.${format}`));
  const actor = (/** @type {string} */ id) => names.get(id) ?? (id === "operator" || id === "platform" ? t(`administration.actors.${id}`) : id);
  const columns = [
    { key: "number", title: t("administration.entry"), cell: (/** @type {Entry} */ one) => one.number },
    { key: "time", title: t("webhooks.time"), cell: (/** @type {Entry} */ one) => html`<${Time} time=${one.time} />` },
    { key: "actor", title: t("developers.actor"), cell: (/** @type {Entry} */ one) => actor(one.actor) },
    { key: "action", title: t("administration.action"), cell: (/** @type {Entry} */ one) => html`<code>${one.action}</code>` },
    { key: "kind", title: t("administration.target"), cell: (/** @type {Entry} */ one) => one.targetKind },
    { key: "id", title: "id", cell: (/** @type {Entry} */ one) => html`<span class="id soft">${names.get(one.targetId) ?? one.targetId}</span>` },
  ];
  return html`<div class="filters">
      <${Select} label=${t("developers.actor")} value=${form.actor} onValue=${set("actor")} options=${[["", t("administration.all")], ["operator", t("administration.actors.operator")], ["platform", t("administration.actors.platform")], ...[...names]]} />
      <${TextField} label=${t("administration.action")} placeholder="create" value=${form.action} onValue=${set("action")} />
      <${TextField} label=${t("administration.target")} placeholder="user" value=${form.targetKind} onValue=${set("targetKind")} />
      <${TextField} label=${t("administration.targetId")} value=${form.targetId} onValue=${set("targetId")} />
      <${TextField} label=${t("webhooks.since")} type="datetime-local" value=${form.from} onValue=${set("from")} />
      <${TextField} label=${t("webhooks.until")} type="datetime-local" value=${form.to} onValue=${set("to")} />
      <span class="grow"></span><div class="row"><${Button} icon="lock" onClick=${() => attempt(async () => setChecked(await api.get("/api/v1/audit/verify")))}>${t("administration.verify")}<//>
        <${Menu} label=${t("administration.export")} kind="" icon="download" items=${[{ text: "CSV", icon: "list", run: () => save("csv") }, { text: "NDJSON", icon: "code", run: () => save("ndjson") }]}>${t("administration.exportShort")}<//></div></div>
    ${checked && html`<div class=${`banner ${checked.intact ? "" : "danger"}`} role="status"><span class="grow">${checked.intact ? t("administration.intact", { count: checked.entries }) : t("administration.broken", { number: checked.firstFault?.number ?? 0 })}</span><span class="id">${checked.lastHash?.slice(0, 16)}…</span></div>`}
    <${PagedTable} label=${t("administration.parts.audit")} path="/api/v1/audit" query=${query} columns=${columns} empty=${{ icon: "lock", title: t("inbox.nothingFound") }} />`;
}
