// Chooses the kind of a new node, and the way that leads to it.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button, Select } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { KINDS, kindName } from "./kinds.js";
import { cardName } from "./card.js";
import { waysOf } from "./model.js";

/** @typedef {import("./model.js").Port} Port */

/** @param {{flow: import("./model.js").Flow, from: string, way?: Port, onClose: () => void, onAdd: (kind: string, way: Port | undefined) => void}} props `from`: the selected card, whose ways may lead to the new node. */
export function AddNode({ flow, from, way: given, onClose, onAdd }) {
  const ways = given ? [given] : waysOf(flow, from).filter((one) => !one.target || !Object.hasOwn(flow.nodes, one.target));
  const [chosen, setChosen] = useState(given?.field ?? ways.find((one) => one.needed)?.field ?? "");
  const options = [["", t("flows.noWay")], ...ways.map((one) => [one.field, t("flows.afterWay", { node: cardName(flow, one.node), way: one.text })])];
  return html`<${Dialog} title=${t("flows.add")} wide=${true} onClose=${onClose}>
    ${ways.length > 0 && html`<${Select} label=${t("flows.follows")} value=${chosen} options=${options} onValue=${setChosen} />`}
    <ul class="flow-kinds">${Object.entries(KINDS).map(([kind, { icon }]) => html`<li key=${kind}><button type="button" class=${`flow-kind kind-${kind}`} onClick=${() => onAdd(kind, ways.find((one) => one.field === chosen))}>
      <${Icon} name=${icon} /><span><strong>${kindName(kind)}</strong><span class="small soft">${t(`flows.about_${kind}`)}</span></span></button></li>`)}</ul>
    <div class="row"><${Button} onClick=${onClose}>${t("common.cancel")}<//></div><//>`;
}
