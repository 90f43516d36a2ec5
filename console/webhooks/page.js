// Webhooks of a client: their configuration and health, deliveries, and what is being sent now.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { go, path, query } from "#app/router.js";
import { hasRole, session } from "#app/session.js";
import { fullTime } from "#app/time.js";
import { Button, Select } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Tabs } from "../developers/parts.js";
import { hooks } from "./calls.js";
import { ConfigurationDialog } from "./configure.js";
import { DeliveryDialog } from "./delivery.js";
import { Deliveries } from "./deliveries.js";
import { HandOverDialog } from "./hand-over.js";
import { Live } from "./live.js";
import { Overview } from "./overview.js";

/** @typedef {import("./calls.js").Configuration} Configuration */

const PARTS = ["overview", "deliveries", "live"];

/** The number of a configuration, or the name of the default. @param {Configuration} one */
export function configName(one) {
  return one.whatsAppNumberMsisdn ? `+${one.whatsAppNumberMsisdn}` : t("webhooks.default");
}

/** @param {{config?: string, part?: string}} props */
export default function Webhooks({ config = "", part: asked = "" }) {
  const load = useLoad((signal) => hooks.list(signal), []);
  const [adding, setAdding] = useState(false);
  const [handing, setHanding] = useState(false);
  const ends = session.value?.endsAt;
  const part = PARTS.includes(asked) ? asked : "overview";
  const saved = (/** @type {Configuration} */ one) => {
    setAdding(false);
    load.reload();
    go(`/webhooks/${one.id}`);
  };
  return html`<div class="page">${ends && html`<div class="banner" role="status">${t("webhooks.linkEnds", { time: fullTime(ends) })}</div>`}<${Loaded} load=${load}>${(/** @type {Configuration[]} */ configs) => {
    const chosen = configs.find((one) => one.id === config) ?? configs[0];
    const delivery = query.value.delivery;
    return html`<header class="page-head"><h1>${t("nav.webhooks")}</h1>
        ${configs.length > 1 && html`<${Select} label=${t("webhooks.configuration")} hideLabel value=${chosen.id} options=${configs.map((one) => [one.id, configName(one)])} onValue=${(/** @type {string} */ id) => go(`/webhooks/${id}/${part}`)} />`}
        ${!hasRole("LINK") && html`<${Button} kind="quiet" icon="external" label=${t("webhooks.handOver")} onClick=${() => setHanding(true)} />`}
        <${Button} icon="plus" kind=${chosen ? "" : "primary"} onClick=${() => setAdding(true)}>${t(chosen ? "webhooks.addNumber" : "webhooks.setUp")}<//></header>
      ${chosen ? html`<${Tabs} label=${t("nav.webhooks")} tabs=${PARTS.map((one) => ({ to: `/webhooks/${chosen.id}/${one}`, text: t(`webhooks.parts.${one}`), current: one === part }))} />
        <div class="page-body flush" tabindex="-1" key=${chosen.id}>
          ${part === "overview" && html`<${Overview} config=${chosen} onChange=${load.reload} />`}
          ${part === "deliveries" && html`<${Deliveries} config=${chosen} />`}
          ${part === "live" && html`<${Live} config=${chosen} />`}</div>`
        : html`<${Empty} icon="webhook" title=${t("webhooks.none")} fill=${true}><p>${t("webhooks.noneText")}</p><//>`}
      ${delivery && configs.length > 0 && html`<${DeliveryDialog} key=${delivery} configs=${configs.map((one) => one.id)} id=${delivery} onClose=${() => go(path.value, { search: { ...query.value, delivery: undefined } })} />`}
      ${handing && html`<${HandOverDialog} onClose=${() => setHanding(false)} />`}
      ${adding && html`<${ConfigurationDialog} taken=${configs} onClose=${() => setAdding(false)} onSaved=${saved} />`}`;
  }}<//></div>`;
}
