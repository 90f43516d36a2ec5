// A flow as a value: its nodes, the ways between them, and changes that make a new value.
import { language, t } from "#app/i18n.js";
import { textIn } from "./words.js";

/** @typedef {Record<string, any>} FlowNode */
/** @typedef {{start?: string, nodes: Record<string, FlowNode>, languages?: string[], [field: string]: any}} Flow */
/** A way out. `node` is empty for the ways into the flow. `needed`: without a target the conversation ends here by mistake.
 * @typedef {{node: string, field: string, target: string | undefined, text: string, needed: boolean}} Port */

/** The id of the card with the ways into the flow. It is no id of a node. */
export const ENTRY = "";

const LISTS = ["options", "cases", "commands", "events"];
const OBJECTS = ["accept", "contact", "contactAttributes", "headers", "idle", "map", "media", "secrets", "set", "statuses"];
const WORD_LISTS = ["kept", "languages", "tags", "words"];

/** The part that makes it impossible to draw a value, or nothing. The server judges the rest. @param {any} value @returns {string | undefined} */
export function shapeFault(value) {
  if (!isObject(value)) return "flow";
  if (!isObject(value.nodes)) return "nodes";
  const { nodes, ...flow } = value;
  const parts = [["flow", flow], ...Object.entries(nodes)];
  for (const [name, part] of parts) {
    const wrong = isObject(part) ? partFault(part) : "";
    if (wrong !== undefined) return [name, wrong].filter(Boolean).join(", ");
  }
  return undefined;
}

/** @param {Record<string, any>} part @returns {string | undefined} */
function partFault(part) {
  return Object.keys(part).find((name) => {
    const value = part[name];
    if (LISTS.includes(name)) return !Array.isArray(value) || !value.every((one) => isObject(one) && partFault(one) === undefined);
    if (WORD_LISTS.includes(name)) return !Array.isArray(value) || !value.every((one) => typeof one === "string");
    return OBJECTS.includes(name) && !isObject(value);
  });
}

/** Whether a value can be drawn. @param {any} value @returns {value is Flow} */
export function isFlow(value) {
  return shapeFault(value) === undefined;
}

/** @param {any} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {any} value @returns {any[]} */
function list(value) {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The ways out of a node, those that its kind needs first. @param {string} id @param {FlowNode} node @param {Flow} flow @returns {Port[]} */
export function portsOf(id, node, flow) {
  /** @type {Port[]} */
  const ports = [];
  const add = (/** @type {string} */ field, /** @type {any} */ target, /** @type {string} */ text, needed = true) =>
    ports.push({ node: id, field, target: typeof target === "string" && target ? target : undefined, text, needed });
  list(node.options).forEach((one, at) => add(`options/${at}/next`, one.next, textIn(one.title, flow.languages) || one.id || ""));
  list(node.cases).forEach((one, at) => add(`cases/${at}/next`, one.next, caseText(one)));
  if (["message", "question", "set", "wait", "http"].includes(node.type)) add("next", node.next, t("flows.way_next"));
  if (isObject(node.statuses)) for (const [status, target] of Object.entries(node.statuses)) add(`statuses/${status}`, target, status);
  if (node.type === "http") add("failed", node.failed, t("flows.way_failed"));
  if (node.type === "condition") add("otherwise", node.otherwise, t("flows.way_otherwise"));
  if (node.type === "menu" || node.type === "question") add("otherwise", node.otherwise, t("flows.way_attempts"), node.attempts !== undefined);
  if (node.type === "wait") add("onMessage", node.onMessage, t("flows.way_message"), false);
  return ports;
}

/** The ways into a flow. @param {Flow} flow @returns {Port[]} */
export function entriesOf(flow) {
  /** @type {Port[]} */
  const ports = [];
  const add = (/** @type {string} */ field, /** @type {any} */ target, /** @type {string} */ text, needed = true) => ports.push({ node: ENTRY, field, target: target || undefined, text, needed });
  add("start", flow.start, t("flows.way_start"));
  list(flow.commands).forEach((one, at) => add(`commands/${at}/next`, one.next, (one.words ?? []).join(", ")));
  list(flow.events).forEach((one, at) => add(`events/${at}/next`, one.next, one.name ?? ""));
  if (flow.idle) add("idle/next", flow.idle.next, t("flows.way_idle", { minutes: flow.idle.minutes ?? "?" }));
  if (flow.released !== undefined) add("released", flow.released, t("flows.way_released"), false);
  return ports;
}

/** @param {any} one */
function caseText(one) {
  if (one.open !== undefined) return t(one.open ? "flows.case_open" : "flows.case_closed");
  if (one.channel !== undefined) return one.channel;
  const name = one.attribute ?? "?";
  if (one.equals !== undefined) return `${name} = ${one.equals}`;
  if (one.contains !== undefined) return `${name} ∋ ${one.contains}`;
  if (one.above !== undefined) return `${name} > ${one.above}`;
  if (one.below !== undefined) return `${name} < ${one.below}`;
  if (one.exists !== undefined) return t(one.exists ? "flows.case_exists" : "flows.case_absent", { name });
  return name;
}

/** The ways of nodes that have not changed. @type {WeakMap<object, {id: string, languages: string, ways: Port[]}>} */
const known = new WeakMap();

/** The ways out of a card. @param {Flow} flow @param {string} id @returns {Port[]} */
export function waysOf(flow, id) {
  const node = flow.nodes[id];
  if (id === ENTRY || !node) return id === ENTRY ? entriesOf(flow) : [];
  const languages = `${language()} ${flow.languages?.[0] ?? ""}`;
  const before = known.get(node);
  if (before?.id === id && before.languages === languages) return before.ways;
  const ways = portsOf(id, node, flow);
  known.set(node, { id, languages, ways });
  return ways;
}

/** All ways of a flow, those into it first. @param {Flow} flow @returns {Port[]} */
export function allWays(flow) {
  return [ENTRY, ...Object.keys(flow.nodes)].flatMap((id) => waysOf(flow, id));
}

/** The nodes to which some way from outside leads. @param {Flow} flow @returns {Set<string>} */
export function reachableOf(flow) {
  /** @type {Set<string>} */
  const found = new Set();
  const open = entriesOf(flow).map((way) => way.target);
  while (open.length) {
    const id = open.pop();
    if (!id || found.has(id) || !flow.nodes[id]) continue;
    found.add(id);
    open.push(...waysOf(flow, id).map((way) => way.target));
  }
  return found;
}

/** The value with another one at a path of names and positions; `undefined` removes the name. @param {any} value @param {string[]} path @param {any} next @returns {any} */
export function withPath(value, [name, ...rest], next) {
  const inner = rest.length ? withPath(value?.[name] ?? {}, rest, next) : next;
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === name ? inner : one));
  const { [name]: _, ...others } = value ?? {};
  return inner === undefined ? others : { ...(value ?? {}), [name]: inner };
}

/** @param {Flow} flow @param {string} id @param {FlowNode} node @returns {Flow} */
export function withNode(flow, id, node) {
  return { ...flow, nodes: { ...flow.nodes, [id]: node } };
}

/** Leads a way to a node, or to nowhere. The way after failed attempts needs a number of attempts. @param {Flow} flow @param {{node: string, field: string}} way @param {string | undefined} target @returns {Flow} */
export function connect(flow, way, target) {
  if (way.node === ENTRY) return withPath(flow, way.field.split("/"), target);
  let node = withPath(flow.nodes[way.node], way.field.split("/"), target);
  if (way.field === "otherwise" && node.type !== "condition") node = withPath(node, ["attempts"], target ? node.attempts ?? 3 : undefined);
  return withNode(flow, way.node, node);
}

/** A free id that begins as wanted. @param {Flow} flow @param {string} wanted */
export function freeId(flow, wanted) {
  const base = wanted.replace(/-\d+$/, "");
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!Object.hasOwn(flow.nodes, id)) return id;
  }
}

/** Adds a node, and leads a way to it. @param {Flow} flow @param {string} id @param {FlowNode} node @param {{node: string, field: string}} [way] @returns {Flow} */
export function addNode(flow, id, node, way) {
  const added = withNode(flow, id, node);
  return way ? connect(added, way, id) : added;
}

/** Removes a node and the ways to it. The start stays, so that the check names it. @param {Flow} flow @param {string} id @returns {Flow} */
export function removeNode(flow, id) {
  const { [id]: _, ...nodes } = flow.nodes;
  const ways = allWays({ ...flow, nodes }).filter((way) => way.target === id && way.field !== "start");
  return ways.reduce((before, way) => connect(before, way, undefined), /** @type {Flow} */ ({ ...flow, nodes }));
}

/** A copy of a node, with the same ways out. @param {Flow} flow @param {string} id @returns {{flow: Flow, id: string}} */
export function duplicateNode(flow, id) {
  const copy = freeId(flow, id);
  return { flow: withNode(flow, copy, structuredClone(flow.nodes[id])), id: copy };
}

/** Gives a node another id, in its place, and leads the ways there. @param {Flow} flow @param {string} id @param {string} next @returns {Flow} */
export function renameNode(flow, id, next) {
  const nodes = Object.fromEntries(Object.entries(flow.nodes).map(([own, node]) => [own === id ? next : own, node]));
  const renamed = { ...flow, nodes };
  return allWays(renamed).filter((way) => way.target === id).reduce((before, way) => connect(before, way, next), /** @type {Flow} */ (renamed));
}

/** The hosts that the requests of a flow need. @param {Flow} flow @returns {string[]} */
export function hostsOf(flow) {
  const hosts = Object.values(flow.nodes).map((node) => /^https?:\/\/([^/?#{}]+)/.exec(node.type === "http" ? String(node.url ?? "") : "")?.[1]);
  return /** @type {string[]} */ ([...new Set(hosts.filter(Boolean))]);
}

/** The names of the secrets that the requests of a flow use. @param {Flow} flow @returns {string[]} */
export function secretsOf(flow) {
  const requests = Object.values(flow.nodes).filter((node) => node.type === "http").map(({ url, headers, body }) => JSON.stringify({ url, headers, body }));
  const names = [...requests.join(" ").matchAll(/\{secret\.([\w.-]+)\}/g)].map((found) => found[1]);
  return [...new Set([...names, ...Object.keys(flow.secrets ?? {})])];
}

/** The attributes that nodes set, and those of the contact. @param {Flow} flow @returns {string[]} */
export function attributesOf(flow) {
  const names = Object.values(flow.nodes).flatMap((node) => [...(node.save ? [String(node.save)] : []), ...Object.keys(node.map ?? {}), ...Object.keys(node.set ?? {})]);
  const contact = Object.keys(flow.contactAttributes ?? {}).map((name) => `contact.${name}`);
  return [...new Set([...names, ...list(flow.events).flatMap((one) => Object.keys(one.map ?? {})), ...contact])];
}
