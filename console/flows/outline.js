// The flow as an indented list, for small screens and for those who do not see the drawing.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Icon } from "#ui/icons.js";
import { iconOf, kindName } from "./kinds.js";
import { ENTRY, waysOf } from "./model.js";
import { summaryOf } from "./words.js";

/** @typedef {import("./model.js").Flow} Flow */
/** `again`: the node stands earlier in the list. @typedef {{key: string, depth: number, way: string, id: string | undefined, needed: boolean, again: boolean}} Row */

/** Deeper rows have no further indentation, so that they fit a small screen. */
const DEEPEST = 5;

/** @param {Flow} flow @returns {Row[]} */
function rowsOf(flow) {
  /** @type {Row[]} */
  const rows = [];
  const seen = new Set();
  const walk = (/** @type {string} */ from, /** @type {number} */ depth) => {
    const ways = waysOf(flow, from);
    for (const way of ways) {
      const again = way.target !== undefined && seen.has(way.target);
      if (!way.target && !way.needed) continue;
      rows.push({ key: `${from} ${way.field}`, depth: Math.min(depth, DEEPEST), way: way.text, id: way.target, needed: way.needed, again });
      if (!way.target || again || !Object.hasOwn(flow.nodes, way.target)) continue;
      seen.add(way.target);
      walk(way.target, ways.length > 1 || from === ENTRY ? depth + 1 : depth);
    }
  };
  walk(ENTRY, 0);
  for (const id of Object.keys(flow.nodes)) {
    if (seen.has(id)) continue;
    seen.add(id);
    rows.push({ key: `apart ${id}`, depth: 0, way: t("flows.apart"), id, needed: false, again: false });
    walk(id, 1);
  }
  return rows;
}

/** @param {{flow: Flow, selected: string, faults: Record<string, number>, at: string, onOpen: (id: string) => void}} props */
export function Outline({ flow, selected, faults, at, onOpen }) {
  return html`<ol class="flow-outline" aria-label=${t("flows.nodes")}>${rowsOf(flow).map(({ key, depth, way, id, needed, again }) => {
    const node = id === undefined ? undefined : flow.nodes[id];
    return html`<li key=${key} data-depth=${depth}><span class="tiny soft clip">${way}</span>
      ${node && id !== undefined ? html`<button type="button" class=${`flow-outline-node ${again ? "again" : `kind-${node.type}`} ${id === at ? "here" : ""}`} aria-current=${id === selected && !again ? "true" : undefined} onClick=${() => onOpen(id)}>
          <${Icon} name=${again ? "arrowRight" : iconOf(node.type)} size="small" /><span class="grow"><strong>${id}</strong>${again ? "" : html` <span class="soft">${summaryOf(node, flow.languages) || kindName(node.type)}</span>`}</span>
          ${id === at && html`<span class="tag accent">${t("flows.here")}</span>`}${!again && faults[id] ? html`<span class="flow-faults">${faults[id]}<span class="hidden-text"> ${t("flows.findingsWord")}</span></span>` : null}</button>`
        : html`<span class=${`small ${needed ? "danger-text" : "soft"}`}>${id === undefined ? t("flows.noTarget") : t("flows.unknownTarget", { name: id })}</span>`}</li>`;
  })}</ol>`;
}
