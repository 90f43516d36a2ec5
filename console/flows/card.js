// A node on the canvas: its kind and id, a line about it, and its ways out.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Icon } from "#ui/icons.js";
import { iconOf, kindName } from "./kinds.js";
import { ENTRY, waysOf } from "./model.js";
import { TargetSelect } from "./target.js";
import { summaryOf } from "./words.js";

/** @typedef {import("./model.js").Port} Port */
/**
 * @typedef {{select: (id: string) => void, open: (id: string) => void, connect: (way: Port, target: string | undefined) => void,
 *   grab: (event: PointerEvent, id: string) => void, pull: (event: PointerEvent, way: Port) => void, step: (event: KeyboardEvent, id: string) => void}} CardActions
 */

/** The name of a card for screen readers and lists. @param {import("./model.js").Flow} flow @param {string} id */
export function cardName(flow, id) {
  return id === ENTRY ? t("flows.entry") : `${kindName(flow.nodes[id]?.type)}: ${id}`;
}

/**
 * @param {{flow: import("./model.js").Flow, id: string, place: import("./layout.js").Point, selected: boolean, reachable: boolean, faults: number, here: boolean, been: boolean, aimed: boolean, actions: CardActions}} props
 * `here`: the test conversation is at this node. `been`: it was. `aimed`: a new way ends here.
 */
export function Card({ flow, id, place, selected, reachable, faults, here, been, aimed, actions }) {
  const node = flow.nodes[id];
  const entry = id === ENTRY;
  const classes = ["flow-card", entry ? "entry" : `kind-${node.type}`, selected && "selected", faults && "faulty", here && "here", been && "been", aimed && "aimed", !reachable && "apart"].filter(Boolean).join(" ");
  const label = [cardName(flow, id), faults && t("flows.findings", { count: faults }), here && t("flows.here")].filter(Boolean).join(", ");
  return html`<div class=${classes} role="group" aria-label=${label} tabindex=${selected ? 0 : -1} data-node=${entry ? undefined : id} data-card=${id} style=${{ transform: `translate(${place.x}px, ${place.y}px)` }}
    onPointerDown=${(/** @type {PointerEvent} */ event) => actions.grab(event, id)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => actions.step(event, id)} onFocus=${() => selected || actions.select(id)} onDblClick=${() => actions.open(id)}>
    <div class="flow-card-head"><${Icon} name=${entry ? "play" : iconOf(node.type)} /><strong class="clip">${entry ? t("flows.entry") : id}</strong>
      ${here && html`<span class="flow-here"><${Icon} name="chat" size="small" /></span>`}${faults ? html`<span class="flow-faults" title=${t("flows.findings", { count: faults })}>${faults}</span>` : null}</div>
    ${!entry && html`<p class="flow-card-text">${summaryOf(node, flow.languages) || html`<span class="faint">${kindName(node.type)}</span>`}</p>`}
    ${waysOf(flow, id).map((way) => html`<${Way} key=${way.field} way=${way} flow=${flow} selected=${selected} actions=${actions} />`)}
  </div>`;
}

/** @param {{way: Port, flow: import("./model.js").Flow, selected: boolean, actions: CardActions}} props */
function Way({ way, flow, selected, actions }) {
  const missing = way.target ? !Object.hasOwn(flow.nodes, way.target) : way.needed;
  return html`<div class=${`flow-way ${missing ? "missing" : ""} ${way.target ? "" : "loose"}`}><span class="clip flow-way-text">${way.text}</span>
    ${selected ? html`<${TargetSelect} way=${way} flow=${flow} onTarget=${(/** @type {string | undefined} */ target) => actions.connect(way, target)} />`
      : html`<span class="clip flow-way-target">${way.target ?? (way.needed ? t("flows.noTarget") : "")}</span>`}
    <span class="flow-plug" title=${t("flows.pull")} onPointerDown=${(/** @type {PointerEvent} */ event) => actions.pull(event, way)}></span></div>`;
}
