// The selection of an editor, and the changes that buttons, keys, cards and forms make.
import { useState } from "preact/hooks";
import { wayKey } from "./edges.js";
import { blankNode } from "./kinds.js";
import { ENTRY, addNode, allWays, connect, duplicateNode, freeId, removeNode, renameNode, withNode } from "./model.js";

/** @typedef {import("./model.js").Flow} Flow */
/** @typedef {import("./model.js").Port} Port */
/** @typedef {import("./layout.js").Point} Point */

/** Half a title, so that a new card appears under the pointer. */
const GRIP = 18;

/** @param {ReturnType<typeof import("./history.js").useSteps>} steps @param {() => void} onNode is called when a new node is selected */
export function useEdits(steps, onNode) {
  const { flow, change } = steps;
  const [wanted, setSelected] = useState(flow.start && Object.hasOwn(flow.nodes, flow.start) ? flow.start : ENTRY);
  const [shown, setShown] = useState({ id: wanted });
  const [line, setLine] = useState("");
  const selected = Object.hasOwn(flow.nodes, wanted) ? wanted : ENTRY;
  const select = (/** @type {string} */ id) => {
    setSelected(id);
    setLine("");
  };
  const show = (/** @type {string} */ id) => {
    select(id);
    setShown({ id });
  };
  const setFlow = (/** @type {(before: Flow) => Flow} */ make, field = "") => change((before) => ({ ...before, flow: make(before.flow) }), field);
  const add = (/** @type {string} */ kind, /** @type {Port | undefined} */ way, /** @type {Point | undefined} */ at) => {
    const id = freeId(flow, kind);
    change((before) => ({
      flow: addNode(before.flow, id, blankNode(kind, before.flow.languages), way),
      chosen: at ? { ...before.chosen, [id]: { x: Math.round(at.x), y: Math.round(at.y) - GRIP } } : before.chosen,
    }));
    show(id);
    onNode();
  };
  const remove = () => {
    const way = allWays(flow).find((one) => wayKey(one) === line);
    if (way) setFlow((before) => connect(before, way, undefined));
    else if (selected !== ENTRY) {
      setFlow((before) => removeNode(before, selected));
      const before = allWays(flow).find((one) => one.target === selected && one.node !== selected);
      setSelected(before?.node ?? ENTRY);
    }
    setLine("");
  };
  const duplicate = () => {
    if (selected === ENTRY) return;
    const copy = duplicateNode(flow, selected);
    setFlow(() => copy.flow);
    show(copy.id);
  };
  const rename = (/** @type {string} */ id) => {
    change((before) => {
      const { [selected]: place, ...chosen } = before.chosen;
      return { flow: renameNode(before.flow, selected, id), chosen: place ? { ...chosen, [id]: place } : chosen };
    });
    setSelected(id);
  };
  return {
    selected, line, shown, show, add, remove, duplicate, rename,
    node: selected !== ENTRY,
    /** Shows a card without selecting it. */
    reveal: (/** @type {string} */ id) => setShown({ id }),
    setNode: (/** @type {import("./model.js").FlowNode} */ node, /** @type {string} */ field) => setFlow((before) => withNode(before, selected, node), field && `${selected} ${field}`),
    replace: (/** @type {Flow} */ next, /** @type {string} */ field) => setFlow(() => next, field),
    canvas: {
      select,
      chooseLine: setLine,
      connect: (/** @type {Port} */ way, /** @type {string | undefined} */ target) => setFlow((before) => connect(before, way, target)),
      move: (/** @type {string} */ id, /** @type {Point} */ to) => change((before) => ({ ...before, chosen: { ...before.chosen, [id]: to } }), `place ${id}`),
      tidy: () => change((before) => ({ ...before, chosen: {} })),
    },
  };
}
