// A new send: a template, its recipients with the mapping of their columns, a check, and then the send. Until it is sent, it is kept.
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { go } from "#app/router.js";
import { Button, Checkbox, Select } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Empty, Fault } from "#ui/states.js";
import { reportFault } from "#ui/toast.js";
import { TemplatePreview } from "../inbox/template-parts.js";
import { headerFile } from "../inbox/templates.js";
import { CheckStep } from "./check.js";
import { hasHeader, parse } from "./csv.js";
import { draftSend, dropSend, keepSend } from "./draft.js";
import { job, startJob } from "./job.js";
import { MappingStep } from "./mapping.js";
import { recall, remember } from "./memory.js";
import { check, guess, requests } from "./plan.js";
import { Recipients } from "./recipients.js";
import { rejections } from "./rejections.js";
import { Sending } from "./sending.js";
import { TemplateStep } from "./template.js";

/** @typedef {import("../inbox/templates.js").Template} Template */
/** @typedef {import("./plan.js").Mapping} Mapping */

/** @type {Map<string, string>} */
const NONE = new Map();

export function NewSend() {
  return job.value ? html`<${Sending} job=${job.value} />` : html`<${SendForm} />`;
}

function SendForm() {
  const kept = draftSend();
  const numbers = useLoad(async (signal) => (await api.get("/messaging-service/WhatsApp/WhatsAppClientNumbers/getForCurrentLoginUser", { size: 200 }, { signal })).content
    .map((/** @type {any} */ one) => one.whatsAppNumber).filter((/** @type {any} */ one) => one.whatsAppProvider === "WHATSAPP_CLOUD"), []);
  const [sender, setSender] = useState(kept.sender);
  const [template, setTemplate] = useState(/** @type {Template | null} */ (kept.template));
  const [text, setText] = useState(kept.text);
  const [fileName, setFileName] = useState(kept.fileName);
  const [header, setHeader] = useState(/** @type {boolean | null} */ (kept.header));
  const [mapping, setMapping] = useState(/** @type {Mapping | null} */ (kept.mapping));
  const [fallback, setFallback] = useState(kept.fallback);
  const [judged, setJudged] = useState(/** @type {{inputs: string, rejected: Map<string, string>} | null} */ (null));
  const [judging, setJudging] = useState(false);
  const [shown, setShown] = useState(0);
  const from = sender || numbers.data?.[0]?.number || "";
  const table = useMemo(() => parse(text), [text]);
  const withHeader = header ?? hasHeader(table);
  const names = withHeader ? (table[0] ?? []) : [];
  const rows = useMemo(() => (withHeader ? table.slice(1) : table), [table, withHeader]);
  const shape = JSON.stringify([template?.id, names, rows[0]?.length]);
  useEffect(() => {
    // The mapping of a kept draft stays. A file like that of a former send has its mapping.
    if (draftSend().shape === shape && mapping) return;
    setMapping(template && rows.length ? recall(template.id, names) ?? guess(template, names, rows[0]) : null);
  }, [shape]);
  useEffect(() => keepSend({ sender, template, text, fileName, header, mapping, fallback, shape }), [sender, template, text, fileName, header, mapping, fallback, shape]);
  const inputs = JSON.stringify([from, template?.id, text, withHeader, mapping, fallback]);
  const latest = useRef(inputs);
  latest.current = inputs;
  // A viewer who has left the form is not asked to send.
  useEffect(() => () => {
    latest.current = "";
  }, []);
  const rejected = judged?.inputs === inputs ? judged.rejected : NONE;
  const planned = useMemo(() => (template && mapping ? check(template, rows, mapping, withHeader ? 2 : 1, rejected) : []), [template, rows, mapping, withHeader, rejected]);
  const good = planned.filter((one) => !one.faults.length);
  const lacksFile = Boolean(template && headerFile(template) && !mapping?.fileUrl);
  const sample = planned[Math.min(shown, planned.length - 1)];
  /** Asks the server about the rows. Those that it would reject have their reasons afterwards. @param {ReturnType<typeof requests>} bodies */
  const isAccepted = async (bodies) => {
    setJudging(true);
    try {
      const found = await rejections(bodies);
      setJudged({ inputs, rejected: found });
      return found.size === 0 && latest.current === inputs;
    } catch (error) {
      reportFault(error);
      return false;
    } finally {
      setJudging(false);
    }
  };
  const send = async () => {
    if (!template || !mapping) return;
    const bodies = requests(template, good, { sender: from, fileUrl: mapping.fileUrl, fallback });
    if (judged?.inputs !== inputs && !(await isAccepted(bodies))) return;
    const agreed = await confirm({ title: t("sends.confirmTitle", { count: good.length }), text: t("sends.confirmText", { template: template.name, sender: from }), action: t("sends.sendNow") });
    if (!agreed) return;
    remember(template.id, names, mapping);
    dropSend();
    startJob(template.name, bodies);
  };
  return html`<div class="page"><header class="page-head"><${Button} kind="quiet" icon="arrowLeft" label=${t("sends.back")} onClick=${() => go("/sends")} /><h1>${t("sends.new")}</h1></header>
    <div class="page-body send-form" tabindex="-1"><div class="stack loose send-steps">
      ${numbers.error && !numbers.data && html`<${Fault} error=${numbers.error} retry=${numbers.reload} />`}
      ${numbers.data?.length === 0 ? html`<${Empty} icon="phone" title=${t("sends.noNumbers")} />` : html`
      <section class="stack" aria-label=${t("sends.step.template")}><h2>${t("sends.step.template")}</h2>
        ${(numbers.data?.length ?? 0) > 1 && html`<${Select} label=${t("messages.sender")} value=${from} options=${numbers.data?.map((/** @type {any} */ one) => [one.number, `+${one.number}`]) ?? []} onValue=${setSender} />`}
        <${TemplateStep} chosen=${template} onChoose=${setTemplate} /></section>
      ${template && html`<section class="stack" aria-label=${t("sends.step.recipients")}><h2>${t("sends.step.recipients")}</h2>
        <${Recipients} text=${text} name=${fileName} onText=${(/** @type {string} */ next, /** @type {string} */ name) => (setText(next), setFileName(name))} rows=${rows.length} />
        ${table.length > 0 && html`<${Checkbox} label=${t("sends.firstRowNames")} checked=${withHeader} onValue=${setHeader} />`}</section>`}
      ${template && mapping && rows.length > 0 && html`
      <section class="stack" aria-label=${t("sends.step.mapping")}><h2>${t("sends.step.mapping")}</h2><${MappingStep} template=${template} names=${names} first=${rows[0]} mapping=${mapping} onMapping=${setMapping} /></section>
      <section class="stack" aria-label=${t("sends.step.check")}><h2>${t("sends.step.check")}</h2><${CheckStep} rows=${planned} onShow=${setShown} shown=${shown} header=${names} />
        <${Checkbox} label=${t("sends.fallback")} checked=${fallback} onValue=${setFallback} />
        <div class="row wrap"><${Button} kind="primary" icon="send" busy=${judging} disabled=${!from || !good.length || lacksFile} onClick=${send}>${t("sends.send", { count: good.length })}<//>
          ${lacksFile && html`<span class="danger-text small">${t("sends.lacksFile")}</span>`}
          ${good.length < planned.length && html`<span class="soft small">${t("sends.leftOut", { count: planned.length - good.length })}</span>`}</div></section>`}`}
    </div>
    ${template && html`<div class="send-preview"><${TemplatePreview} template=${template} values=${sample?.values}>${sample && html`<p class="small soft">${t("sends.previewOf", { to: sample.to, line: sample.line })}</p>`}<//></div>`}
    </div></div>`;
}
