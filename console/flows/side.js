// The side of the editor: the form of the selected node, the settings of the flow, a test, the source.
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Empty } from "#ui/states.js";
import { FlowForm, NodeForm } from "./forms.js";
import { Source } from "./source.js";
import { TestTalk } from "./test-talk.js";

/** Focuses the field with a fault, otherwise the first field of the form. @param {{current: HTMLElement | null}} box @param {string} message */
export function focusField(box, message) {
  requestAnimationFrame(() => {
    const form = box.current?.querySelector(".flow-form");
    const fields = /** @type {HTMLElement[]} */ ([...(form?.querySelectorAll("input, select, textarea") ?? [])]);
    const wrong = fields.find((field) => message && document.getElementById(`${field.id}-fault`)?.textContent?.includes(message));
    (wrong ?? fields[0])?.focus();
  });
}

/**
 * @param {{box: {current: HTMLElement | null}, tabs: string[], tab: string, onTab: (tab: string) => void, schema: any, flow: import("./model.js").Flow, selected: string, check: import("./check.js").Check,
 *   edits: ReturnType<typeof import("./edits.js").useEdits>, main: any, onAt: (at: string, began: boolean) => void}} props `main`: the view of the nodes, for small screens.
 */
export function Side({ box, tabs, tab, onTab, schema, flow, selected, check, edits, main, onAt }) {
  useEffect(() => {
    box.current?.querySelector(".flow-panel")?.scrollTo({ top: 0 });
  }, [selected, tab]);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    onTab(next);
    document.getElementById(`flow-tab-${next}`)?.focus();
  };
  return html`<aside class="flow-side" ref=${box} aria-label=${t("flows.side")}>
    <div class="tabs" role="tablist" aria-label=${t("flows.side")} onKeyDown=${move}>${tabs.map((one) => html`<button key=${one} id=${`flow-tab-${one}`} type="button" role="tab" aria-selected=${one === tab ? "true" : "false"} aria-controls="flow-panel"
      tabindex=${one === tab ? 0 : -1} onClick=${() => onTab(one)}>${t(`flows.tab_${one}`)}${one === "nodes" && check.findings.length > 0 && html` <span class="flow-faults">${check.findings.length}</span>`}</button>`)}</div>
    <div class=${`flow-panel scroll panel-${tab}`} id="flow-panel" role="tabpanel" aria-labelledby=${`flow-tab-${tab}`} tabindex="0">
      ${tab === "nodes" && main}
      ${tab === "node" && (edits.node ? html`<${NodeForm} schema=${schema} flow=${flow} id=${selected} findings=${check.findings} onNode=${edits.setNode} onRename=${edits.rename} onDuplicate=${edits.duplicate} onRemove=${edits.remove} />`
        : html`<${Empty} icon="flow" title=${t("flows.choose")}><p>${t(tabs.includes("nodes") ? "flows.chooseInList" : "flows.chooseHint")}</p><//>`)}
      ${tab === "flow" && html`<${FlowForm} schema=${schema} flow=${flow} findings=${check.findings} onFlow=${edits.replace} />`}
      ${tab === "source" && html`<${Source} flow=${flow} selected=${selected} onFlow=${edits.replace} />`}
      <div hidden=${tab !== "test"}><${TestTalk} flow=${flow} onAt=${onAt} /></div>
    </div></aside>`;
}
