// The editor of one flow: the drawing or the list, the findings below it, and forms, test and source at its side.
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { Link } from "#app/router.js";
import { Button, Tag } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Menu } from "#ui/menu.js";
import { ActivateFlow } from "./activate.js";
import { AddNode } from "./add.js";
import { Canvas } from "./canvas.js";
import { useCheck } from "./check.js";
import { draftOf, keepDraft, keepPlaces, keptPlaces } from "./drafts.js";
import { useEdits } from "./edits.js";
import { Findings } from "./findings.js";
import { useSteps } from "./history.js";
import { useNarrow } from "./narrow.js";
import { Outline } from "./outline.js";
import { flowPath } from "./plugin.js";
import { Side, focusField } from "./side.js";

/** @typedef {import("./model.js").Flow} Flow */
/** `kept`: the draft is the only copy. @typedef {{key: string, title: string, flow: Flow, mode: string, place: string | null, kept?: boolean, activation?: import("../plugins/types.js").Activation}} Origin */

/** @param {{origin: Origin, schema: any, inboxes: import("../plugins/types.js").Inbox[], onDone: (mode: string, place: string | null) => void}} props */
export function Editor({ origin, schema, inboxes, onDone }) {
  const first = useMemo(() => draftOf(origin.key) ?? { flow: origin.flow, chosen: keptPlaces(origin.key) }, []);
  const steps = useSteps(first);
  const { flow, chosen } = steps;
  const check = useCheck(flow);
  const narrow = useNarrow();
  const [asList, setAsList] = useState(false);
  const [tab, setTab] = useState(narrow ? "nodes" : "node");
  const [talk, setTalk] = useState({ at: "", been: /** @type {string[]} */ ([]) });
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const edits = useEdits(steps, () => setTab("node"));
  const { selected, line } = edits;
  const side = useRef(/** @type {HTMLElement | null} */ (null));
  const dirty = useMemo(() => JSON.stringify(flow) !== JSON.stringify(origin.flow), [flow]);
  const counts = useMemo(() => check.findings.reduce((/** @type {Record<string, number>} */ sum, { node }) => ({ ...sum, [node]: (sum[node] ?? 0) + 1 }), {}), [check.findings]);
  useEffect(() => {
    keepDraft(origin.key, dirty || origin.kept || (!origin.activation && Object.keys(chosen).length) ? { flow, chosen } : undefined);
    if (origin.activation) keepPlaces(origin.key, chosen);
  }, [flow, chosen]);

  const open = (/** @type {string} */ id, message = "") => {
    edits.show(id);
    setTab(id ? "node" : "flow");
    focusField(side, message);
  };
  const discard = async () => {
    if (!(await confirm({ title: t("flows.discardTitle"), text: t("flows.discardText"), action: t("flows.discard"), danger: true }))) return;
    steps.change(() => ({ flow: origin.flow, chosen: {} }));
    edits.show("");
  };
  const hear = (/** @type {string} */ at, /** @type {boolean} */ began) => {
    if (at === talk.at && !(began && talk.been.length)) return;
    setTalk({ at, been: began ? [] : [...talk.been, ...(talk.at ? [talk.at] : [])] });
    if (at) edits.reveal(at);
  };
  /** Removes what is selected in the drawing. The focus goes to the card before it. */
  const removeByKey = () => {
    if (!document.activeElement?.closest(".flow-main")) return;
    edits.remove();
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(".flow-card.selected, .flow-outline-node[aria-current]"))?.focus({ preventScroll: true }));
  };
  const group = t("flows.title");
  useShortcuts([
    { keys: "n", text: t("flows.add"), group, run: () => setDialog({ kind: "add" }) },
    { keys: "l", text: t("flows.asList"), group, run: () => setAsList(!asList) },
    { keys: "Delete", text: t("flows.remove"), group, run: removeByKey },
    { keys: "Ctrl+D", text: t("flows.duplicate"), group, run: edits.duplicate },
    { keys: "Ctrl+Z", text: t("common.undo"), group, run: steps.undo },
    { keys: "Ctrl+Shift+Z", text: t("flows.redo"), group, run: steps.redo },
    { keys: "Ctrl+Y", text: t("flows.redo"), group, run: steps.redo },
    { keys: "Shift+ArrowRight", text: t("flows.moveNode"), group, run: () => {} },
  ]);
  const tabs = [...(narrow ? ["nodes"] : []), "node", "flow", "test", "source"];
  const shown = tabs.includes(tab) ? tab : "node";
  const list = html`<div class="flow-list-view scroll" tabindex="-1"><${Outline} flow=${flow} selected=${selected} faults=${counts} at=${talk.at} onOpen=${open} /></div>`;
  const findings = html`<${Findings} check=${check} onOpen=${(/** @type {import("./check.js").Finding} */ one) => open(Object.hasOwn(flow.nodes, one.node) ? one.node : "", one.message)} />`;
  const tools = html`<div class="flow-tools row wrap"><${Button} kind="small" icon="plus" onClick=${() => setDialog({ kind: "add" })}>${t("flows.add")}<//>
    <${Button} kind="small" icon="copy" disabled=${!edits.node} onClick=${edits.duplicate}>${t("flows.duplicate")}<//>
    <${Button} kind="small" icon="trash" disabled=${!edits.node && !line} onClick=${edits.remove}>${line ? t("flows.removeLine") : t("flows.remove")}<//>
    ${!narrow && html`<${Button} kind="small" icon=${asList ? "flow" : "list"} aria-pressed=${asList ? "true" : "false"} onClick=${() => setAsList(!asList)}>${t("flows.asList")}<//>`}</div>`;
  const main = html`<section class="flow-main" aria-label=${t("flows.drawing")}>${tools}
    ${narrow || asList ? list : html`<${Canvas} ...${{ flow, chosen, selected, line, faults: counts, at: talk.at, been: talk.been, shown: edits.shown }} actions=${{ ...edits.canvas, open, addAt: (/** @type {any} */ way, /** @type {any} */ at) => setDialog({ kind: "add", way, at }) }} />`}
    ${findings}</section>`;
  return html`<div class="page flow-page"><header class="page-head">
      <${Link} to="/flows" class="button quiet icon" aria-label=${t("flows.back")} title=${t("flows.back")}><${Icon} name="arrowLeft" /><//>
      <h1 class="clip">${origin.title}</h1>${(dirty || !origin.activation) && html`<${Tag} tone="warning">${t(origin.activation ? "flows.unsaved" : "flows.notActive")}<//>`}
      <${Button} kind="quiet" icon="undo" label=${t("common.undo")} disabled=${!steps.canUndo} onClick=${steps.undo} /><${Button} kind="quiet" icon="redo" label=${t("flows.redo")} disabled=${!steps.canRedo} onClick=${steps.redo} />
      <${Button} kind="primary" icon="play" onClick=${() => setDialog({ kind: "activate" })}>${t("flows.activate")}<//>
      <${Menu} label=${t("common.more")} icon="more" items=${[{ text: t("flows.download"), icon: "download", run: () => download(flow) }, { text: t("flows.discard"), icon: "trash", danger: true, disabled: !dirty, run: discard }]} /></header>
    <div class="flow-body">${!narrow && main}
      <${Side} box=${side} tabs=${tabs} tab=${shown} onTab=${setTab} ...${{ schema, flow, selected, check, edits, main, onAt: hear }} /></div>
    ${dialog?.kind === "add" && html`<${AddNode} flow=${flow} from=${selected} way=${dialog.way} onClose=${() => setDialog(null)} onAdd=${(/** @type {string} */ kind, /** @type {any} */ way) => {
      setDialog(null);
      edits.add(kind, way, dialog.at);
    }} />`}
    ${dialog?.kind === "activate" && html`<${ActivateFlow} flow=${flow} origin=${origin} inboxes=${inboxes} findings=${check.busy ? 0 : check.findings.length} onClose=${() => setDialog(null)} onDone=${(/** @type {string} */ mode, /** @type {string | null} */ place) => {
      keepDraft(origin.key, undefined);
      keepPlaces(flowPath({ mode, whatsAppNumberId: place }).replace("/flows/", ""), chosen);
      onDone(mode, place);
    }} />`}
  </div>`;
}

/** Hands the flow to the viewer as a file, without its secrets. @param {Flow} flow */
function download(flow) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${JSON.stringify({ ...flow, secrets: undefined }, null, 2)}\n`], { type: "application/json" }));
  link.download = "flow.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
