// The lines between cards.
import { html } from "htm/preact";
import { CARD_WIDTH, HEAD, heightOf, lineOf, portY } from "./layout.js";
import { allWays } from "./model.js";

/** @typedef {import("./model.js").Port} Port */
/** @typedef {import("./layout.js").Point} Point */

/** @param {Port} way */
export function wayKey(way) {
  return `${way.node} ${way.field}`;
}

/** Where a way begins. @param {import("./model.js").Flow} flow @param {import("./layout.js").Positions} places @param {Port} way @returns {Point} */
export function startOf(flow, places, way) {
  const card = places[way.node];
  return { x: card.x + CARD_WIDTH, y: card.y + portY(flow, way.node, way.field) };
}

/**
 * @param {{flow: import("./model.js").Flow, places: import("./layout.js").Positions, selected: string, chosen: string, onChoose: (key: string) => void, pulled: null | {way: Port, to: Point}}} props
 * `selected`: the card whose lines are strong. `chosen`: the line that the viewer chose. `pulled`: a way that is drawn now.
 */
export function Edges({ flow, places, selected, chosen, onChoose, pulled }) {
  const ways = allWays(flow).filter((way) => way.target && Object.hasOwn(places, way.target));
  return html`<svg class="flow-lines" aria-hidden="true" width="1" height="1">
    <defs><marker id="flow-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" /></marker></defs>
    ${ways.map((way) => {
      const target = /** @type {string} */ (way.target);
      const bottom = Math.max(places[way.node].y + heightOf(flow, way.node), places[target].y + heightOf(flow, target));
      const line = lineOf(startOf(flow, places, way), { x: places[target].x - 2, y: places[target].y + HEAD / 2 }, bottom);
      const key = wayKey(way);
      const near = way.node === selected || target === selected;
      return html`<g key=${key} class=${`flow-line ${near ? "near" : ""} ${key === chosen ? "chosen" : ""}`} onPointerDown=${(/** @type {Event} */ event) => (event.stopPropagation(), onChoose(key))}>
        <path class="flow-line-area" d=${line} /><path class="flow-line-mark" d=${line} marker-end="url(#flow-tip)" /></g>`;
    })}
    ${pulled && html`<g class="flow-line near pulled"><path class="flow-line-mark" d=${lineOf(startOf(flow, places, pulled.way), pulled.to, 0)} /></g>`}</svg>`;
}
