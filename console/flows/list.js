// The flows in force, and ready ones to begin with.
import { html } from "htm/preact";
import { useRef } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Link, go } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button, Tag } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Empty, Loaded } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { placeName, sorted } from "../plugins/facts.js";
import { ModeTag } from "../plugins/parts.js";
import { draftKeys, keepDraft } from "./drafts.js";
import { isFlow, shapeFault } from "./model.js";
import { flowPath } from "./plugin.js";
import { READY, loadReady } from "./ready.js";
import { Sketch } from "./sketch.js";

/** @typedef {import("../plugins/types.js").Activation} Activation */

/** @param {{load: any}} props */
export function FlowList({ load }) {
  const file = useRef(/** @type {HTMLInputElement | null} */ (null));
  const read = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen) return;
    try {
      const flow = JSON.parse(await chosen.text());
      const part = shapeFault(flow);
      if (part !== undefined) throw new Error(t("flows.noFlow", { part }));
      keepDraft("new/file", { flow, chosen: {} });
      go("/flows/new/file");
    } catch (error) {
      report(t("flows.badFile", { name: chosen.name, message: /** @type {Error} */ (error).message }), { icon: "alert" });
    }
  };
  const drafts = draftKeys();
  const own = ["new/empty", "new/file"].filter((key) => drafts.includes(key));
  return html`<div class="page"><header class="page-head"><h1>${t("nav.flows")}</h1>
      <input ref=${file} type="file" accept=".json,application/json" class="hidden-text" tabindex="-1" aria-hidden="true" onChange=${(/** @type {any} */ event) => (read(event.currentTarget.files[0]), (event.currentTarget.value = ""))} />
      <${Button} icon="upload" onClick=${() => file.current?.click()}>${t("flows.openFile")}<//>
      <${Link} class="button primary" to="/flows/new/empty"><${Icon} name="plus" />${t("flows.empty")}<//></header>
    <div class="page-body"><div class="stack loose">
      ${own.length > 0 && html`<section class="stack"><h2>${t("flows.drafts")}</h2><div class="row wrap">${own.map((key) => html`<${Link} key=${key} class="button" to=${`/flows/${key}`}><${Icon} name="edit" />${t(key === "new/file" ? "flows.fromFile" : "flows.empty")}<//>`)}</div></section>`}
      <section class="stack"><h2>${t("flows.inForce")}</h2><${Loaded} load=${load}>${(/** @type {any} */ { plugin, inboxes }) => (plugin.activations?.length
        ? html`<ul class="grid flow-cards">${sorted(plugin.activations).map((/** @type {Activation} */ one) => html`<li key=${one.id}><${InForce} activation=${one} inboxes=${inboxes} drafts=${drafts} /></li>`)}</ul>`
        : html`<div class="card"><${Empty} icon="flow" title=${t("flows.noneInForce")}><p>${t("flows.noneInForceHint")}</p><//></div>`)}<//></section>
      <section class="stack"><h2>${t("flows.readyTitle")}</h2><ul class="grid flow-cards">${READY.map((name) => html`<li key=${name}><${Ready} name=${name} drafts=${drafts} /></li>`)}</ul></section>
    </div></div></div>`;
}

/** @param {{activation: Activation, inboxes: import("../plugins/types.js").Inbox[], drafts: string[]}} props */
function InForce({ activation: one, inboxes, drafts }) {
  const flow = /** @type {any} */ (one.config);
  return html`<${Link} class="flow-choice" to=${flowPath(one)}><${Sketch} flow=${isFlow(flow) ? flow : null} />
    <span class="row wrap"><strong class="grow number">${placeName(one.whatsAppNumberId, inboxes)}</strong>${drafts.includes(flowPath(one).replace("/flows/", "")) && html`<${Tag} tone="warning">${t("flows.draft")}<//>`}<${ModeTag} mode=${one.mode} percent=${one.percent} /></span>
    <span class="small soft">${t("flows.nodeCount", { count: Object.keys(flow?.nodes ?? {}).length })} · <time title=${fullTime(one.activatedTime)}>${t("plugins.since", { time: shortTime(one.activatedTime) })}</time></span><//>`;
}

/** @param {{name: string, drafts: string[]}} props */
function Ready({ name, drafts }) {
  const load = useLoad(() => loadReady(name), [name]);
  return html`<${Link} class="flow-choice" to=${`/flows/new/${name}`}><${Sketch} flow=${load.data ?? null} /><span class="row wrap"><strong class="grow">${t(`flows.ready_${name}`)}</strong>${drafts.includes(`new/${name}`) && html`<${Tag} tone="warning">${t("flows.draft")}<//>`}</span><span class="small soft">${t(`flows.readyText_${name}`)}</span><//>`;
}
