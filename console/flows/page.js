// The pages of flows: those in force and the ready ones, and the editor of one flow.
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { go } from "#app/router.js";
import { Empty, Loaded } from "#ui/states.js";
import { addressOf, listInboxes, placeName } from "../plugins/facts.js";
import { draftOf } from "./drafts.js";
import { Editor } from "./editor.js";
import { blankFlow } from "./kinds.js";
import { FlowList } from "./list.js";
import { isFlow } from "./model.js";
import { EVERYWHERE, FLOW_PLUGIN, flowPath } from "./plugin.js";
import { READY, loadReady } from "./ready.js";

/** @typedef {import("../plugins/types.js").Plugin} Plugin */
/** @typedef {import("./editor.js").Origin} Origin */

/** @param {{kind?: string, id?: string}} props `kind`: `new`, or the mode of an activation. `id`: a ready flow, or a place. */
export default function Flows({ kind = "", id = "" }) {
  const load = useLoad(async (signal) => {
    const [plugin, inboxes] = await Promise.all([api.get(addressOf(FLOW_PLUGIN), { size: 1 }, { signal }), listInboxes(signal)]);
    return { plugin: /** @type {Plugin} */ (plugin), inboxes, origin: kind ? await originOf(kind, id, plugin, inboxes) : null };
  }, [kind, id]);
  const name = load.data?.origin?.title;
  useEffect(() => {
    document.title = `${name ?? t("nav.flows")} · Patchbay`;
  }, [name]);
  const done = (/** @type {string} */ mode, /** @type {string | null} */ place) => {
    const to = flowPath({ mode, whatsAppNumberId: place });
    if (to === `/flows/${kind}/${id}`) load.reload();
    else go(to);
  };
  if (!kind) return html`<${FlowList} load=${load} />`;
  const missing = html`<div class="page"><header class="page-head"><h1>${t("flows.title")}</h1></header><div class="page-body"><${Empty} icon="flow" title=${t("flows.noSuchFlow")} /></div></div>`;
  return html`<${Loaded} load=${load}>${(/** @type {any} */ { plugin, inboxes, origin }) => (origin && plugin.configSchema?.properties?.nodes
    ? html`<${Editor} key=${`${origin.key} ${origin.activation?.id ?? ""}`} origin=${origin} schema=${plugin.configSchema} inboxes=${inboxes} onDone=${done} />` : missing)}<//>`;
}

/** The flow that an address names. @param {string} kind @param {string} id @param {Plugin} plugin @param {import("../plugins/types.js").Inbox[]} inboxes @returns {Promise<Origin | null>} */
async function originOf(kind, id, plugin, inboxes) {
  const key = `${kind}/${id}`;
  if (kind !== "new") {
    const activation = (plugin.activations ?? []).find((one) => one.mode === kind && (one.whatsAppNumberId ?? EVERYWHERE) === id);
    if (!activation || !isFlow(activation.config)) return null;
    const title = kind === "live" ? placeName(activation.whatsAppNumberId, inboxes) : `${placeName(activation.whatsAppNumberId, inboxes)}: ${t(`plugins.mode_${kind}`)}`;
    return { key, title, flow: activation.config, mode: kind, place: activation.whatsAppNumberId, activation };
  }
  const shared = { key, mode: "live", place: null };
  if (id === "file") return draftOf(key) ? { ...shared, title: t("flows.fromFile"), kept: true, flow: /** @type {any} */ (draftOf(key)).flow } : null;
  if (READY.includes(id)) return { ...shared, title: t(`flows.ready_${id}`), flow: await loadReady(id) };
  return id === "empty" ? { ...shared, title: t("flows.empty"), flow: blankFlow() } : null;
}
