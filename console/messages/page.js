// Messages of a client: found by any name, each with its story.
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { useLoad, useSearchText } from "#app/load.js";
import { Link, go, query } from "#app/router.js";
import { SearchField } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Time } from "../developers/parts.js";
import { State } from "../developers/status.js";
import { find } from "./find.js";
import { Story } from "./story.js";

/** @typedef {import("./find.js").Found} Found */
/** @typedef {ReturnType<typeof useLoad<import("./find.js").FoundGroup[]>>} FoundLoad */

/** @param {{id?: string}} props */
export default function Messages({ id = "" }) {
  const search = query.value.q ?? "";
  const view = query.value.view ?? "";
  const [text, setText] = useSearchText(search || id, (q) => go("/messages", { search: { q, view }, replace: true }));
  useShortcuts([{ keys: "/", text: t("messages.search"), group: t("nav.messages"), run: () => document.getElementById("message-search")?.focus() }]);
  return html`<div class="page"><header class="page-head"><h1>${t("nav.messages")}</h1>
      <div class="message-search"><${SearchField} id="message-search" label=${t("messages.search")} placeholder=${t("messages.placeholder")} value=${text} onValue=${setText} autofocus=${!id} /></div></header>
    ${search || id ? html`<${FoundMessages} text=${search || id} id=${id} view=${view} />`
      : html`<${Empty} icon="search" title=${t("messages.emptyTitle")} fill=${true}><p>${t("messages.emptyText")}</p><//>`}
  </div>`;
}

/** The results, and the story of one of them. @param {{text: string, id: string, view: string}} props */
function FoundMessages({ text, id, view }) {
  const load = useLoad((signal) => find(text, signal), [text]);
  // The results say already that there is no such message.
  const shown = id === text && load.data?.length === 0 ? "" : id;
  return html`<div class=${`split ${shown ? "open" : ""}`}>
    <section aria-label=${t("messages.results")} tabindex="-1"><${Results} load=${load} text=${text} id=${id} view=${view} /></section>
    <section aria-label=${t("messages.story")} tabindex="-1">${shown ? html`<${Story} key=${shown} id=${shown} full=${view === "full"} back=${{ q: text, view }} />`
      : load.data?.length ? html`<${Empty} icon="flow" title=${t("messages.choose")} fill=${true} />` : null}</section></div>`;
}

/** @param {{load: FoundLoad, text: string, id: string, view: string}} props */
function Results({ load, text, id, view }) {
  const only = load.data?.length === 1 && load.data[0].messages.length === 1 ? load.data[0].messages[0].gstId : "";
  useEffect(() => {
    if (only && !id) go(`/messages/${encodeURIComponent(only)}`, { search: { q: text, view }, replace: true });
  }, [only]);
  return html`<${Loaded} load=${load}>${(/** @type {import("./find.js").FoundGroup[]} */ groups) => groups.length
    ? groups.map((group) => html`<section key=${group.how} aria-label=${t(`messages.by.${group.how}`)}>
        <h2 class="subhead">${t(`messages.by.${group.how}`)}</h2>
        ${group.batchId && html`<${Link} class="result link" to=${`/sends/${group.batchId}`}>${t("messages.openBatch")}<//>`}
        ${group.messages.map((one) => html`<${Row} key=${one.gstId} message=${one} current=${one.gstId === id} search=${{ q: text, view }} />`)}
        ${group.more && html`<p class="subhead">${t("messages.more")}</p>`}</section>`)
    : html`<${Empty} icon="search" title=${t("messages.none")}><p>${t("messages.noneText")}</p><//>`}<//>`;
}

/** @param {{message: Found, current: boolean, search: Record<string, string>}} props */
function Row({ message, current, search }) {
  return html`<${Link} class="result" to=${`/messages/${encodeURIComponent(message.gstId)}`} search=${search} aria-current=${current ? "true" : undefined}>
    <span class="row between"><span class="strong clip">${message.receiver ? `+${message.receiver}` : message.recipientUserId}</span><${State} state=${message.status} /></span>
    <span class="row between tiny soft"><span class="clip">${message.ctId || message.gstId}</span><${Time} time=${message.createdTime} /></span><//>`;
}
