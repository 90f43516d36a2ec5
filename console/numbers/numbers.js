// Numbers of WhatsApp Cloud and WhatsApp Lite.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { known, t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { number } from "#app/numbers.js";
import { fullTime } from "#app/time.js";
import { Button, SearchField, Tag } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { FormDialog } from "../developers/form.js";
import { Fact, Id } from "../developers/parts.js";
import { LiteSession } from "./lite.js";
import { Faults, INBOXES } from "./places.js";

/** @typedef {{id: string, number: string, whatsAppProvider: string}} BusinessNumber */
/** @typedef {import("./places.js").Inbox} Inbox */

/** @type {Record<string, string>} */
const QUALITY_TONES = { GREEN: "success", YELLOW: "warning", RED: "danger" };
const LIST = "/messaging-service/WhatsApp/WhatsAppClientNumbers";

export function Numbers() {
  const [text, setText] = useState("");
  const searchString = useSettled(text.trim());
  const [adding, setAdding] = useState(false);
  const load = useLoad((signal) => api.get(`${LIST}/getForCurrentLoginUser`, { size: 200, searchString }, { signal }), [searchString]);
  // Both lists are in the order of the numbers.
  const facts = useLoad(async (signal) => new Map((await api.get(INBOXES, { channel: "WHATSAPP", size: 500 }, { signal })).content.map((/** @type {Inbox} */ one) => [one.id, one])), []);
  const add = async (/** @type {Record<string, any>} */ values) => {
    await api.post(`${LIST}/registerWLNumber`, { number: values.number });
    load.reload();
  };
  return html`<div class="filters"><div class="search-box"><${SearchField} label=${t("administration.searchOptOuts")} value=${text} onValue=${setText} /></div><span class="grow"></span>
      <div class="row"><${Button} icon="plus" onClick=${() => setAdding(true)}>${t("numbers.addLite")}<//></div></div>
    <div class="section-body"><${Loaded} load=${load}>${(/** @type {any} */ page) => page.content.length
      ? html`<div class="grid numbers">${page.content.map((/** @type {any} */ row) => html`<${NumberCard} key=${row.id} row=${row} inbox=${facts.data?.get(row.whatsAppNumber.id)} />`)}</div>`
      : html`<${Empty} icon="phone" title=${t(searchString ? "inbox.nothingFound" : "numbers.none")}><p>${t("numbers.noneText")}</p><//>`}<//></div>
    ${adding && html`<${FormDialog} title=${t("numbers.addLite")} text=${t("numbers.liteText")} values=${{ number: "" }} action=${t("administration.add")} save=${add} onClose=${() => setAdding(false)}
      fields=${[{ key: "number", label: t("webhooks.number"), type: "tel", required: true, placeholder: "+27 82 555 0001" }]} />`}`;
}

/** @param {{row: any, inbox?: Inbox}} props */
function NumberCard({ row, inbox }) {
  /** @type {BusinessNumber} */
  const number = row.whatsAppNumber;
  const lite = number.whatsAppProvider === "WHATSAPP_LITE";
  return html`<section class="card stack" aria-label=${`+${number.number}`}><div class="section-head"><h2 class="number">+${number.number}</h2><${Tag} tone=${lite ? "" : "accent"}>${t(`numbers.providers.${number.whatsAppProvider}`)}<//></div>
    ${inbox && html`<${Faults} inbox=${inbox} />`}
    <dl class="facts"><${Fact} label="whatsAppNumberId"><${Id} id=${number.id} /><//>
      ${inbox && !lite && html`<${ProviderFacts} inbox=${inbox} />`}
      <${Fact} label=${t("numbers.billing")} value=${row.billingModel && (known(`numbers.billings.${row.billingModel}`) ?? row.billingModel)} /></dl>
    ${lite ? html`<${LiteSession} id=${number.id} number=${number.number} />` : html`<p class="soft small">${t("numbers.windowText")}</p>`}</section>`;
}

/** The reports of the provider about a number of WhatsApp Cloud. @param {{inbox: Inbox}} props */
function ProviderFacts({ inbox }) {
  const { rating, status, readTime } = inbox.quality ?? {};
  return html`<${Fact} label=${t("numbers.quality")}><${Tag} tone=${QUALITY_TONES[rating ?? ""] ?? ""}>${known(`numbers.qualities.${rating}`) ?? t("numbers.notRated")}<//>${readTime && html` <span class="soft small">${t("numbers.asOf", { time: fullTime(readTime) })}</span>`}<//>
    ${status && status !== "CONNECTED" && html`<${Fact} label=${t("numbers.status")}><${Tag} tone="danger">${known(`numbers.statuses.${status}`) ?? status}<//><//>`}
    <${Fact} label=${t("numbers.tier")} value=${inbox.tier && tierText(inbox.tier)} />
    <${Fact} label=${t("numbers.openWindows")} value=${inbox.openWindows === undefined ? undefined : windowsText(inbox.openWindows)} />`;
}

/** The most that the server counts. */
const MOST_WINDOWS = 10000;

/** @param {number} open */
function windowsText(open) {
  const count = number(open);
  return open < MOST_WINDOWS ? count : t("numbers.openWindowsMany", { count });
}

/** @param {NonNullable<Inbox["tier"]>} tier */
function tierText(tier) {
  if (tier.limit === undefined) return t("numbers.noLimit");
  return t("numbers.tierUse", { used: number(tier.used ?? 0), limit: number(tier.limit) });
}
