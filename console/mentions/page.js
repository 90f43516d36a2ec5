// Notes of colleagues that mention the viewer.
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { onEvents } from "#app/live.js";
import { useLoad } from "#app/load.js";
import { go, href, query } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Avatar } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, useFilledPage } from "#ui/table.js";

/** @typedef {import("../inbox/types.js").Note & {customerName?: string}} Mention */

const NOTHING = { content: [], number: 0, totalPages: 0, totalElements: 0, first: true, last: true };

export default function Mentions() {
  const page = Number(query.value.page ?? 0) || 0;
  const load = useLoad(async (signal) => {
    try {
      return await api.get("/chat-service/api/v2/mentions", { page, size: 50 }, { signal });
    } catch (error) {
      // A server without notes has no mentions.
      if (error instanceof ApiError && error.status === 404) return NOTHING;
      throw error;
    }
  }, [page]);
  const show = (/** @type {number} */ to, replace = false) => go("/mentions", { search: { page: String(to) }, replace });
  useFilledPage(load.data, (to) => show(to, true));
  useEffect(() => onEvents((events) => {
    if (events.some((event) => event.type === "note.written")) load.reload();
  }), []);
  return html`<div class="page"><header class="page-head"><h1>${t("nav.mentions")}</h1></header>
    <div class="page-body flush"><${Loaded} load=${load}>${(/** @type {{content: Mention[]} & typeof NOTHING} */ found) => found.content.length
      ? html`<ul class="list">${found.content.map((note) => html`<li key=${note.id}><a class="list-row" href=${href(`/inbox/all/${note.participantId}`)}>
          <${Avatar} name=${note.author.name ?? ""} /><span class="grow stack tight"><span class="row"><strong class="grow clip">${note.author.name}</strong><time class="tiny soft" datetime=${note.createdTime} title=${fullTime(note.createdTime)}>${shortTime(note.createdTime)}</time></span>
          <span class="small pre">${note.text}</span>${note.customerName && html`<span class="row tiny soft"><${Icon} name="contact" size="small" /><span class="hidden-text">${t("customer.title")}: </span><span class="clip" dir="auto">${note.customerName}</span></span>`}</span></a></li>`)}</ul><${Pager} page=${found} onPage=${(/** @type {number} */ to) => show(to)} />`
      : html`<${Empty} icon="note" title=${t("mentions.none")}><p>${t("mentions.noneHint")}</p><//>`}<//></div></div>`;
}
