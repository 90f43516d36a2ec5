// Sites with the chat widget.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { go } from "#app/router.js";
import { Button } from "#ui/controls.js";
import { FormDialog } from "../developers/form.js";
import { PagedTable } from "../developers/paged.js";
import { Time } from "../developers/parts.js";

/** @typedef {{id: string, name: string, origins: string[], team?: string | null, siteKey: string, script: string, look: Record<string, string>, texts: Record<string, string>, form?: any, createdTime: string}} Site */

export const SITES = "/messaging-service/web/sites";

/** One per line. @param {string} text */
export function lines(text) {
  return text.split(/\s+/).filter(Boolean);
}

export function Sites() {
  const [adding, setAdding] = useState(false);
  const add = async (/** @type {Record<string, any>} */ values) => {
    const site = await api.post(SITES, { name: values.name, origins: lines(values.origins) });
    go(`/numbers/sites/${site.id}`);
  };
  const columns = [
    { key: "name", title: t("administration.name"), cell: (/** @type {Site} */ one) => html`<span class="row"><i class="swatch" style=${{ background: one.look.color }}></i>${one.name}</span>` },
    { key: "origins", title: t("sites.origins"), cell: (/** @type {Site} */ one) => html`<span class="soft">${one.origins.join(", ")}</span>` },
    { key: "team", title: t("customer.team"), cell: (/** @type {Site} */ one) => one.team ?? "" },
    { key: "created", title: t("webhooks.created"), cell: (/** @type {Site} */ one) => html`<${Time} time=${one.createdTime} />` },
  ];
  return html`<div class="filters"><p class="row grow small soft">${t("sites.text")}</p><div class="row"><${Button} kind="primary" icon="plus" onClick=${() => setAdding(true)}>${t("sites.add")}<//></div></div>
    <${PagedTable} label=${t("numbers.parts.sites")} path=${SITES} columns=${columns} onOpen=${(/** @type {Site} */ one) => go(`/numbers/sites/${one.id}`)} empty=${{ icon: "globe", title: t("sites.none"), text: t("sites.noneText") }} />
    ${adding && html`<${FormDialog} title=${t("sites.add")} values=${{ name: "", origins: "" }} action=${t("administration.add")} save=${add} onClose=${() => setAdding(false)}
      fields=${[{ key: "name", label: t("administration.name"), required: true, maxlength: 100 }, { key: "origins", label: t("sites.origins"), kind: "area", hint: t("sites.originsHint"), placeholder: "https://shop.example", required: true }]} />`}`;
}
