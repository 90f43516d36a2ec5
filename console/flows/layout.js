// Places for cards: columns by their distance from the start, in an order with few crossings. Lengths are pixels of the drawing.
import { ENTRY, allWays, waysOf } from "./model.js";

/** @typedef {import("./model.js").Flow} Flow */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {Record<string, Point>} Positions */

export const CARD_WIDTH = 240;
/** Line of the title; line of the text; line of a way out. `flows.css` has the same heights. */
export const HEAD = 36;
const TEXT = 44;
export const PORT = 34;
const FOOT = 6;
const COLUMN_GAP = 84;
const ROW_GAP = 28;
const SWEEPS = 4;

/** @param {Flow} flow @param {string} id */
export function heightOf(flow, id) {
  return HEAD + (id === ENTRY ? 0 : TEXT) + waysOf(flow, id).length * PORT + FOOT;
}

/** The middle of the end of a way at its card, below the top of the card. @param {Flow} flow @param {string} id @param {string} field */
export function portY(flow, id, field) {
  const at = waysOf(flow, id).findIndex((way) => way.field === field);
  return HEAD + (id === ENTRY ? 0 : TEXT) + at * PORT + PORT / 2;
}

/** The nodes to which a card leads, each once, in the order of its ways. @param {Flow} flow @returns {Map<string, string[]>} */
function neighbours(flow) {
  /** @type {Map<string, string[]>} */
  const found = new Map([ENTRY, ...Object.keys(flow.nodes)].map((id) => [id, []]));
  for (const way of allWays(flow)) {
    const own = found.get(way.node);
    if (way.target && Object.hasOwn(flow.nodes, way.target) && way.target !== way.node && !own?.includes(way.target)) own?.push(way.target);
  }
  return found;
}

/** The column of each card: the longest way from the start without ways back. @param {Map<string, string[]>} next @returns {Map<string, number>} */
function columnsOf(next) {
  /** @type {string[]} */
  const order = [];
  /** @type {Map<string, "open" | "done">} */
  const state = new Map();
  /** @type {Set<string>} */
  const back = new Set();
  const visit = (/** @type {string} */ id) => {
    state.set(id, "open");
    for (const target of next.get(id) ?? []) {
      if (state.get(target) === "open") back.add(`${id} ${target}`);
      else if (!state.has(target)) visit(target);
    }
    state.set(id, "done");
    order.unshift(id);
  };
  for (const id of next.keys()) if (!state.has(id)) visit(id);
  /** @type {Map<string, number>} */
  const columns = new Map([[ENTRY, 0]]);
  for (const id of order) {
    const own = columns.get(id) ?? 1;
    columns.set(id, own);
    for (const target of next.get(id) ?? []) {
      if (!back.has(`${id} ${target}`)) columns.set(target, Math.max(columns.get(target) ?? 1, own + 1));
    }
  }
  return columns;
}

/** Orders each column by the places of its neighbours, some times in both directions. @param {string[][]} columns @param {Map<string, string[]>} next */
function order(columns, next) {
  /** @type {Map<string, string[]>} */
  const before = new Map([...next.keys()].map((id) => [id, []]));
  next.forEach((targets, id) => targets.forEach((target) => before.get(target)?.push(id)));
  /** @type {Map<string, number>} */
  const rank = new Map();
  const number = (/** @type {string[]} */ column) => column.forEach((id, at) => rank.set(id, at / Math.max(1, column.length)));
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forth = sweep % 2 === 0;
    for (const column of forth ? columns : [...columns].reverse()) {
      const wish = new Map(column.map((id) => {
        const around = (forth ? before : next).get(id) ?? [];
        return [id, around.length ? around.reduce((sum, one) => sum + (rank.get(one) ?? 0), 0) / around.length : rank.get(id) ?? 0];
      }));
      column.sort((left, right) => (wish.get(left) ?? 0) - (wish.get(right) ?? 0));
      number(column);
    }
  }
  return before;
}

/** The place of every card. @param {Flow} flow @returns {Positions} */
export function layOut(flow) {
  const next = neighbours(flow);
  /** @type {string[][]} */
  const columns = [];
  columnsOf(next).forEach((column, id) => (columns[column] ??= []).push(id));
  const filled = columns.filter(Boolean);
  const before = order(filled, next);
  /** @type {Positions} */
  const places = {};
  filled.forEach((column, at) => {
    const wishes = column.map((id) => {
      const sources = (before.get(id) ?? []).filter((one) => places[one]);
      const from = sources.map((one) => places[one].y + portY(flow, one, waysOf(flow, one).find((way) => way.target === id)?.field ?? "") - HEAD / 2);
      return from.length ? from.reduce((sum, one) => sum + one, 0) / from.length : 0;
    });
    let free = -Infinity;
    const tops = column.map((id, row) => {
      const top = Math.max(wishes[row], free);
      free = top + heightOf(flow, id) + ROW_GAP;
      return top;
    });
    const shift = tops.reduce((sum, top, row) => sum + top - wishes[row], 0) / column.length;
    column.forEach((id, row) => (places[id] = { x: at * (CARD_WIDTH + COLUMN_GAP), y: Math.round(tops[row] - shift) }));
  });
  const least = Math.min(...Object.values(places).map((one) => one.y));
  for (const one of Object.values(places)) one.y -= least;
  return places;
}

/** The frame around all cards. @param {Flow} flow @param {Positions} places */
export function frameOf(flow, places) {
  const cards = Object.entries(places);
  const left = Math.min(...cards.map(([, one]) => one.x));
  const top = Math.min(...cards.map(([, one]) => one.y));
  const right = Math.max(...cards.map(([, one]) => one.x + CARD_WIDTH));
  const bottom = Math.max(...cards.map(([id, one]) => one.y + heightOf(flow, id)));
  return { left, top, width: right - left, height: bottom - top };
}

/** The line of a way. A way back runs below its cards. @param {Point} from @param {Point} to @param {number} bottom the lower edge of both cards @returns {string} */
export function lineOf(from, to, bottom) {
  const wide = to.x - from.x;
  if (wide > -8) {
    const bend = Math.max(36, Math.min(160, wide / 2));
    return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
  }
  const low = bottom + 18;
  const middle = (from.x + to.x) / 2;
  return `M${from.x} ${from.y}C${from.x + 56} ${from.y} ${from.x + 56} ${low} ${from.x - 8} ${low}L${middle} ${low}L${to.x + 8} ${low}C${to.x - 56} ${low} ${to.x - 56} ${to.y} ${to.x} ${to.y}`;
}
