// The choice of the node to which a way leads.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { kindName } from "./kinds.js";

/** @typedef {import("./model.js").Flow} Flow */

/** The nodes as choices. A target that is no node is one, too, so that it is seen. @param {Flow} flow @param {string | undefined} target @returns {Array<[string, string]>} */
export function targetOptions(flow, target) {
  const nodes = Object.entries(flow.nodes).map(([id, node]) => /** @type {[string, string]} */ ([id, `${id} (${kindName(node.type)})`]));
  const unknown = target && !Object.hasOwn(flow.nodes, target) ? [/** @type {[string, string]} */ ([target, t("flows.unknownTarget", { name: target })])] : [];
  return [["", t("flows.noTarget")], ...unknown, ...nodes];
}

/** A small choice on a card. @param {{way: import("./model.js").Port, flow: Flow, onTarget: (target: string | undefined) => void}} props */
export function TargetSelect({ way, flow, onTarget }) {
  const value = way.target ?? "";
  return html`<select class="flow-target" aria-label=${t("flows.targetOf", { way: way.text })} value=${value} onChange=${(/** @type {any} */ event) => onTarget(event.currentTarget.value || undefined)}
    onPointerDown=${(/** @type {Event} */ event) => event.stopPropagation()} onKeyDown=${(/** @type {Event} */ event) => event.stopPropagation()}>
    ${targetOptions(flow, way.target).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}</select>`;
}
