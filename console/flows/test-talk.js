// A conversation with the flow as it is drawn, without effects. The state in the answers names the node at which the conversation is.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { Fault } from "#ui/states.js";
import { addressOf } from "../plugins/facts.js";
import { Talk } from "../plugins/talk.js";
import { withSecrets } from "./check.js";
import { asks } from "./kinds.js";
import { portsOf } from "./model.js";
import { FLOW_PLUGIN } from "./plugin.js";

/** @typedef {import("./model.js").Flow} Flow */
/** @typedef {import("../plugins/tester-model.js").Conversation} Conversation */

/** The node and the attributes in the state of a conversation. @param {string} state @returns {{at: string, values: Record<string, string>}} */
export function readState(state) {
  try {
    const { at = "", values = {} } = JSON.parse(state || "{}");
    return { at, values };
  } catch {
    return { at: "", values: {} };
  }
}

/** The end at which a conversation arrived from a node, if only one can be reached without further input. @param {Flow} flow @param {string} from @param {string} kind @returns {string} */
export function endAfter(flow, from, kind) {
  const seen = new Set();
  const open = [from];
  while (open.length) {
    const id = /** @type {string} */ (open.pop());
    for (const { target } of portsOf(id, flow.nodes[id] ?? {}, flow)) {
      if (!target || seen.has(target) || !flow.nodes[target]) continue;
      seen.add(target);
      if (!asks(flow.nodes[target].type)) open.push(target);
    }
  }
  const ends = [...seen].filter((id) => flow.nodes[id].type === kind);
  return ends.length === 1 ? ends[0] : "";
}

/** @param {{flow: Flow, onAt: (at: string, began: boolean) => void}} props `onAt` hears where the conversation is, and whether it begins again. */
export function TestTalk({ flow, onAt }) {
  const [last, setLast] = useState("");
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const invoke = async (/** @type {any} */ event, /** @type {any} */ session) => {
    setBusy(true);
    setFault(null);
    try {
      return await api.post(addressOf(FLOW_PLUGIN, "/invoke"), { event, session, config: withSecrets(flow) });
    } catch (error) {
      setFault(error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const hear = (/** @type {Conversation} */ talk) => {
    const state = readState(talk.state);
    const at = state.at || (talk.over && last ? endAfter(flow, last, talk.over) : "");
    if (talk.state) setValues(state.values);
    else if (!talk.entries.length) setValues({});
    if (at !== last) setLast(at);
    onAt(at, talk.entries.length === 0);
  };
  const side = html`${fault && html`<${Fault} error=${fault} />`}
    ${Object.keys(values).length > 0 && html`<dl class="facts" aria-label=${t("flows.attributes")}>${Object.entries(values).map(([name, value]) => html`<dt key=${name}><code>${name}</code></dt><dd>${value}</dd>`)}</dl>`}`;
  return html`<div class="stack flow-test"><p class="tiny soft">${t("flows.testHint")}</p><${Talk} invoke=${invoke} busy=${busy} side=${side} hideState=${true} onTalk=${hear} /></div>`;
}
