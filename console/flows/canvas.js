// The drawing: cards that can be moved, and lines that can be drawn from their ways out to other cards.
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { language, t } from "#app/i18n.js";
import { Button } from "#ui/controls.js";
import { Card } from "./card.js";
import { Edges } from "./edges.js";
import { CARD_WIDTH, frameOf, heightOf, layOut } from "./layout.js";
import { ENTRY, reachableOf, waysOf } from "./model.js";
import { useView } from "./view.js";

/** @typedef {import("./layout.js").Point} Point */
/** @typedef {import("./model.js").Port} Port */

const GRID = 20;
/** A pointer that moves less has clicked. */
const CLICK = 4;

/**
 * @typedef {{select: (id: string) => void, open: (id: string) => void, move: (id: string, to: Point) => void, tidy: () => void, connect: (way: Port, target: string | undefined) => void,
 *   addAt: (way: Port, at: Point) => void, chooseLine: (key: string) => void}} CanvasActions
 */

/**
 * @param {{flow: import("./model.js").Flow, chosen: import("./layout.js").Positions, selected: string, line: string, faults: Record<string, number>, at: string, been: string[],
 *   shown: {id: string}, actions: CanvasActions}} props `shown`: a card that must be seen; each new object is a request.
 */
export function Canvas({ flow, chosen, selected, line, faults, at, been, shown, actions }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const { view, fit, reveal, zoom, pointOf, pan } = useView(box);
  const [moved, setMoved] = useState(/** @type {null | {id: string, to: Point}} */ (null));
  const [pulled, setPulled] = useState(/** @type {null | {way: Port, to: Point, over: string}} */ (null));
  const computed = useMemo(() => layOut(flow), [flow]);
  const places = useMemo(() => Object.fromEntries(Object.keys(computed).map((id) => [id, moved?.id === id ? moved.to : chosen[id] ?? computed[id]])), [computed, chosen, moved]);
  const whole = (readable = false) => fit(frameOf(flow, places), readable);
  useLayoutEffect(() => whole(true), []);
  useEffect(() => {
    const place = places[shown.id];
    if (place) reveal({ left: place.x, top: place.y, width: CARD_WIDTH, height: heightOf(flow, shown.id) });
  }, [shown]);

  const grab = (/** @type {PointerEvent} */ event, /** @type {string} */ id) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    actions.select(id);
    const from = pointOf(event);
    const place = places[id];
    /** @type {Point | null} */
    let to = null;
    follow(event, (next) => {
      const now = pointOf(next);
      if (!to && Math.hypot(now.x - from.x, now.y - from.y) < CLICK) return;
      to = { x: Math.round(place.x + now.x - from.x), y: Math.round(place.y + now.y - from.y) };
      setMoved({ id, to });
    }, () => {
      setMoved(null);
      if (to) actions.move(id, to);
    });
  };
  const pull = (/** @type {PointerEvent} */ event, /** @type {Port} */ way) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    const over = (/** @type {PointerEvent} */ next) => cardUnder(next) ?? "";
    setPulled({ way, to: pointOf(event), over: "" });
    follow(event, (next) => setPulled({ way, to: pointOf(next), over: over(next) }), (last) => {
      setPulled(null);
      if (!last) return;
      const target = over(last);
      if (target) actions.connect(way, target);
      else if (inside(box.current, last)) actions.addAt(way, pointOf(last));
    });
  };
  const step = (/** @type {KeyboardEvent} */ event, /** @type {string} */ id) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.target !== event.currentTarget || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") actions.open(id);
    else if (!way) return;
    else if (event.shiftKey) actions.move(id, { x: places[id].x + way[0] * GRID, y: places[id].y + way[1] * GRID });
    else {
      const next = nearest(places, id, way[0], way[1]);
      if (next) /** @type {HTMLElement | null | undefined} */ (box.current?.querySelector(`[data-card="${CSS.escape(next)}"]`))?.focus({ preventScroll: true });
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const latest = useRef(/** @type {Record<string, any>} */ ({}));
  latest.current = { ...actions, grab, pull, step };
  // The same functions at each turn, so that cards stay as they are while the view moves.
  const stable = useMemo(() => Object.fromEntries(Object.keys(latest.current).map((name) => [name, (/** @type {any[]} */ ...given) => latest.current[name](...given)])), []);
  const over = pulled?.over;
  const drawn = useRef(/** @type {Map<string, {facts: any[], view: any}>} */ (new Map()));
  const cards = useMemo(() => {
    const reachable = reachableOf(flow);
    const next = new Map(Object.entries(places).map(([id, place]) => {
      const facts = { selected: id === selected, reachable: id === ENTRY || reachable.has(id), faults: faults[id] ?? 0, here: id === at && id !== ENTRY, been: been.includes(id), aimed: over === id && id !== ENTRY };
      const missing = waysOf(flow, id).map((way) => Boolean(way.target && Object.hasOwn(flow.nodes, way.target))).join();
      return [id, drawnOnce(drawn.current.get(id), [place.x, place.y, missing, language(), flow.languages, id === selected || id === ENTRY ? flow : flow.nodes[id], ...Object.values(facts)],
        () => html`<${Card} key=${id} flow=${flow} id=${id} place=${place} ...${facts} actions=${stable} />`)];
    }));
    drawn.current = next;
    return [...next.values()].map((one) => one.view);
  }, [flow, places, selected, faults, at, been, over, language()]);
  const lines = useMemo(() => html`<${Edges} flow=${flow} places=${places} selected=${selected} chosen=${line} onChoose=${stable.chooseLine} pulled=${pulled} />`, [flow, places, selected, line, pulled]);
  return html`<div class="flow-canvas" ref=${box} role="group" aria-label=${t("flows.drawing")} onPointerDown=${(/** @type {PointerEvent} */ event) => (actions.chooseLine(""), pan.down(event))} onPointerMove=${pan.move} onPointerUp=${pan.up} onPointerCancel=${pan.up}>
    <div class="flow-sheet" style=${{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}>
      ${lines}${cards}</div>
    <div class="flow-zoom button-group" onPointerDown=${(/** @type {Event} */ event) => event.stopPropagation()}>
      <${Button} kind="small" label=${t("flows.smaller")} icon="minus" onClick=${() => zoom(1 / 1.25)} /><${Button} kind="small" onClick=${() => whole()}>${t("flows.fit")} · ${Math.round(view.scale * 100)} %<//>
      <${Button} kind="small" label=${t("flows.larger")} icon="plus" onClick=${() => zoom(1.25)} /><${Button} kind="small" disabled=${!Object.keys(chosen).length} onClick=${actions.tidy}>${t("flows.tidy")}<//></div>
  </div>`;
}

/** The former view if nothing changed that it shows, so that a letter in a form does not draw all cards again. @param {{facts: any[], view: any} | undefined} before @param {any[]} facts @param {() => any} draw */
function drawnOnce(before, facts, draw) {
  return before && facts.every((fact, at) => fact === before.facts[at]) ? before : { facts, view: draw() };
}

/** Follows a pointer until it is released. `end` gets no event if the browser took the pointer away. @param {PointerEvent} first @param {(event: PointerEvent) => void} move @param {(event: PointerEvent | null) => void} end */
function follow(first, move, end) {
  const own = (/** @type {(event: PointerEvent) => void} */ run) => (/** @type {PointerEvent} */ event) => event.pointerId === first.pointerId && run(event);
  const control = new AbortController();
  const finish = (/** @type {PointerEvent | null} */ event) => {
    control.abort();
    end(event);
  };
  addEventListener("pointermove", own(move), { signal: control.signal });
  addEventListener("pointerup", own(finish), { signal: control.signal });
  addEventListener("pointercancel", own(() => finish(null)), { signal: control.signal });
}

/** @param {PointerEvent} event */
function cardUnder(event) {
  return /** @type {HTMLElement | null | undefined} */ (document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-node]"))?.dataset.node;
}

/** @param {HTMLElement | null} element @param {PointerEvent} event */
function inside(element, event) {
  const at = document.elementFromPoint(event.clientX, event.clientY);
  return Boolean(at && element?.contains(at));
}

/** The nearest card in a direction. Cards aside of it count as farther. @param {import("./layout.js").Positions} places @param {string} id @param {number} right @param {number} down */
function nearest(places, id, right, down) {
  const from = places[id];
  let best = { id: "", far: Infinity };
  for (const [other, place] of Object.entries(places)) {
    const ahead = (place.x - from.x) * right + (place.y - from.y) * down;
    const aside = Math.abs((place.x - from.x) * down) + Math.abs((place.y - from.y) * right);
    const far = ahead + 2 * aside;
    if (other !== id && ahead > 0 && far < best.far) best = { id: other, far };
  }
  return best.far === Infinity ? null : best.id;
}
