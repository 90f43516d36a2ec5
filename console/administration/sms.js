// Credits of SMS and the use of WhatsApp, and the numbers that stopped SMS.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { number } from "#app/numbers.js";
import { session } from "#app/session.js";
import { fullTime } from "#app/time.js";
import { Button, SearchField } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Empty, Loaded } from "#ui/states.js";
import { attempt } from "../developers/parts.js";

const SHOWN = 200;

/** The gateway takes the key in a header of its own. */
function gateway() {
  return { headers: { "x-api-key": session.value?.key ?? "" } };
}

/** @param {{title: string, value: number | string, hint?: string}} props */
function Figure({ title, value, hint }) {
  return html`<div class="card stack tight"><span class="soft small">${title}</span><span class="number figure">${typeof value === "number" ? number(value) : value}</span>${hint && html`<span class="tiny soft">${hint}</span>`}</div>`;
}

export function Sms() {
  const balance = useLoad((signal) => api.post("/sms/getBalance", {}, { ...gateway(), signal }), []);
  const credits = useLoad((signal) => api.get("/api/v1/users/me/whatsapp-credits", undefined, { signal }), []);
  return html`<div class="section-body"><h2>${t("administration.credits")}</h2><div class="grid">
      <${Loaded} load=${balance}>${(/** @type {any} */ one) => html`<${Figure} title=${t("administration.smsBalance")} value=${one.balance} hint=${t("administration.smsBalanceHint")} />`}<//>
      <${Loaded} load=${credits}>${(/** @type {any} */ one) => html`
        <${Figure} title=${t("administration.whatsapp.submitted")} value=${one.submitted} hint=${t("administration.sinceTime", { time: fullTime(one.since) })} />
        <${Figure} title=${t("administration.whatsapp.delivered")} value=${one.delivered} /><${Figure} title=${t("administration.whatsapp.failed")} value=${one.failed} />
        ${one.balance !== null && html`<${Figure} title=${t("administration.whatsapp.balance")} value=${one.balance} />`}`}<//></div>
    <${OptOuts} /></div>`;
}

function OptOuts() {
  const load = useLoad((signal) => api.post("/sms/getUnsubscribelist", {}, { ...gateway(), signal }), []);
  const [text, setText] = useState("");
  const remove = async (/** @type {string} */ number) => {
    if (!(await confirm({ title: t("administration.optInTitle", { number }), text: t("administration.optInText"), action: t("administration.optIn") }))) return;
    if (await attempt(() => api.remove(`/sms/unsubscribelist/${encodeURIComponent(number)}`, gateway()), t("administration.optedIn", { number }))) load.reload();
  };
  return html`<section class="card stack"><h2>${t("administration.optOuts")}</h2><p class="soft small">${t("administration.optOutsText")}</p>
    <${Loaded} load=${load}>${(/** @type {{numbers: string[]}} */ { numbers }) => {
      const found = numbers.filter((one) => one.includes(text.replace(/\D/g, "")));
      if (!numbers.length) return html`<${Empty} icon="phone" title=${t("administration.noOptOuts")} />`;
      return html`<${SearchField} label=${t("administration.searchOptOuts")} value=${text} onValue=${setText} />
        <ul class="list">${found.slice(0, SHOWN).map((one) => html`<li key=${one} class="list-row"><span class="grow number">+${one.replace(/^\+/, "")}</span>
          <${Button} kind="quiet small" icon="trash" label=${t("administration.removeNamed", { name: one })} onClick=${() => remove(one)} /></li>`)}</ul>
        ${found.length > SHOWN && html`<p class="soft small">${t("sends.moreRows", { count: found.length - SHOWN })}</p>`}`;
    }}<//></section>`;
}
