// A small picture of a flow.
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import { CARD_WIDTH, HEAD, frameOf, heightOf, layOut, lineOf, portY } from "./layout.js";
import { allWays } from "./model.js";

const MARGIN = 24;

/** @param {{flow: import("./model.js").Flow | null}} props `null`: it is being loaded, or cannot be drawn. */
export function Sketch({ flow }) {
  const places = useMemo(() => (flow ? layOut(flow) : {}), [flow]);
  if (!flow) return html`<span class="flow-sketch"></span>`;
  const { left, top, width, height } = frameOf(flow, places);
  const ways = allWays(flow).filter((way) => way.target && Object.hasOwn(places, way.target));
  return html`<svg class="flow-sketch" viewBox=${`${left - MARGIN} ${top - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`} aria-hidden="true">
    ${ways.map((way) => {
      const to = places[/** @type {string} */ (way.target)];
      const from = { x: places[way.node].x + CARD_WIDTH, y: places[way.node].y + portY(flow, way.node, way.field) };
      return html`<path key=${`${way.node} ${way.field}`} d=${lineOf(from, { x: to.x, y: to.y + HEAD / 2 }, Math.max(places[way.node].y + heightOf(flow, way.node), to.y))} />`;
    })}
    ${Object.entries(places).map(([id, one]) => html`<rect key=${id} class=${id ? `kind-${flow.nodes[id].type}` : "entry"} x=${one.x} y=${one.y} width=${CARD_WIDTH} height=${heightOf(flow, id)} rx="18" />`)}</svg>`;
}
