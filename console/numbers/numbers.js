// Numbers of WhatsApp Cloud and WhatsApp Lite.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { known, t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { Button, SearchField, Tag } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { FormDialog } from "../developers/form.js";
import { Fact, Id } from "../developers/parts.js";
import { LiteSession } from "./lite.js";

/** @typedef {{id: string, number: string, whatsAppProvider: string}} Number */

const LIST = "/messaging-service/WhatsApp/WhatsAppClientNumbers";

export function Numbers() {
  const [text, setText] = useState("");
  const searchString = useSettled(text.trim());
  const [adding, setAdding] = useState(false);
  const load = useLoad((signal) => api.get(`${LIST}/getForCurrentLoginUser`, { size: 200, searchString }, { signal }), [searchString]);
  const add = async (/** @type {Record<string, any>} */ values) => {
    await api.post(`${LIST}/registerWLNumber`, { number: values.number });
    load.reload();
  };
  return html`<div class="filters"><div class="search-box"><${SearchField} label=${t("administration.searchOptOuts")} value=${text} onValue=${setText} /></div><span class="grow"></span>
      <div class="row"><${Button} icon="plus" onClick=${() => setAdding(true)}>${t("numbers.addLite")}<//></div></div>
    <div class="section-body"><${Loaded} load=${load}>${(/** @type {any} */ page) => page.content.length
      ? html`<div class="grid numbers">${page.content.map((/** @type {any} */ row) => html`<${NumberCard} key=${row.id} row=${row} />`)}</div>`
      : html`<${Empty} icon="phone" title=${t(searchString ? "inbox.nothingFound" : "numbers.none")}><p>${t("numbers.noneText")}</p><//>`}<//></div>
    ${adding && html`<${FormDialog} title=${t("numbers.addLite")} text=${t("numbers.liteText")} values=${{ number: "" }} action=${t("administration.add")} save=${add} onClose=${() => setAdding(false)}
      fields=${[{ key: "number", label: t("webhooks.number"), type: "tel", required: true, placeholder: "+27 82 555 0001" }]} />`}`;
}

/** The provider reports quality and tier when they change; a server that keeps them adds them to the number. @param {{row: any}} props */
function NumberCard({ row }) {
  /** @type {Number & Record<string, any>} */
  const number = row.whatsAppNumber;
  const lite = number.whatsAppProvider === "WHATSAPP_LITE";
  const quality = number.qualityRating ?? row.qualityRating;
  return html`<section class="card stack" aria-label=${`+${number.number}`}><div class="section-head"><h2 class="number">+${number.number}</h2><${Tag} tone=${lite ? "" : "accent"}>${t(`numbers.providers.${number.whatsAppProvider}`)}<//></div>
    <dl class="facts"><${Fact} label="whatsAppNumberId"><${Id} id=${number.id} /><//>
      ${quality && html`<${Fact} label=${t("numbers.quality")}><${Tag} tone=${quality === "GREEN" ? "success" : quality === "RED" ? "danger" : "warning"}>${known(`numbers.qualities.${quality}`) ?? quality}<//><//>`}
      <${Fact} label=${t("numbers.tier")} value=${number.messagingLimitTier ?? row.messagingLimitTier} />
      <${Fact} label=${t("numbers.billing")} value=${row.billingModel && (known(`numbers.billings.${row.billingModel}`) ?? row.billingModel)} /></dl>
    ${lite ? html`<${LiteSession} id=${number.id} number=${number.number} />` : html`<p class="soft small">${t("numbers.windowText")}</p>`}</section>`;
}
