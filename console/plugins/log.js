// The live log: each call as it ends, with its lines, its failure and the consequence.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { Link } from "#app/router.js";
import { fullTime, logTime } from "#app/time.js";
import { Button, Select, TextField } from "#ui/controls.js";
import { Empty, Fault, SkeletonList } from "#ui/states.js";
import { useCalls } from "./calls.js";
import { failed, milliseconds, sizeOf, versionName } from "./facts.js";
import { ModeTag, OutcomeTag } from "./parts.js";

/** @typedef {import("./types.js").Invocation} Invocation */

const OUTCOMES = ["answered", "refused", "trapped", "timed-out", "limit-exceeded", "bad-answer", "key-values-unavailable", "not-started"];
const EVENTS = ["message", "conversation-started", "timer", "rating", "agent-released", "custom"];
const KEPT = 300;
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** @param {{plugin: import("./types.js").Plugin}} props */
export default function Log({ plugin }) {
  const [outcome, setOutcome] = useState("");
  const [mode, setMode] = useState("");
  const [event, setEvent] = useState("");
  const [subject, setSubject] = useState("");
  const [paused, setPaused] = useState(false);
  const filters = { outcome, mode, event, subjectId: ID.test(subject.trim()) ? subject.trim() : "" };
  const { calls, error, loaded } = useCalls(plugin.name, { filters, keep: KEPT, paused });
  useShortcuts([{ keys: "p", text: t("plugins.pauseLog"), group: plugin.name, run: () => setPaused(!paused) }]);
  return html`<div class="stack">
    <div class="plugin-filters">
      <${Select} label=${t("plugins.outcome")} value=${outcome} options=${[["", t("plugins.all")], ...OUTCOMES.map((one) => [one, t(`plugins.outcome_${one}`)])]} onValue=${setOutcome} />
      <${Select} label=${t("plugins.mode")} value=${mode} options=${[["", t("plugins.all")], ...["live", "canary", "shadow"].map((one) => [one, t(`plugins.mode_${one}`)])]} onValue=${setMode} />
      ${plugin.world === "chatbot" && html`<${Select} label=${t("plugins.event")} value=${event} options=${[["", t("plugins.all")], ...EVENTS.map((one) => [one, t(`plugins.event_${one}`)])]} onValue=${setEvent} />`}
      <${TextField} label=${t("plugins.subject")} value=${subject} onValue=${setSubject} class="mono" spellcheck=${false} />
      <${Button} icon=${paused ? "play" : "pause"} aria-pressed=${paused ? "true" : "false"} onClick=${() => setPaused(!paused)}>${paused ? t("plugins.goOn") : t("plugins.pause")}<//>
      <span class="row small soft log-state" role="status"><i class=${`dot ${paused || error ? "" : "success"}`}></i>${paused ? t("plugins.logPaused") : t("plugins.logLive")}</span>
    </div>
    ${error && html`<${Fault} error=${error} />`}
    ${!loaded ? html`<${SkeletonList} />` : calls.length === 0 ? html`<${Empty} icon="list" title=${t("plugins.noCalls")}><p>${t("plugins.noCallsHint")}</p><//>`
      : html`<ol class="log" aria-label=${t("plugins.tab_log")}>${calls.map((one) => html`<${Call} key=${one.id} call=${one} name=${plugin.name} />`)}</ol>`}
  </div>`;
}

/** @param {{call: Invocation, name: string}} props */
function Call({ call, name }) {
  const bad = failed(call.outcome);
  return html`<li class=${`log-call ${bad ? "bad" : ""}`}>
    <div class="log-line"><time class="mono tiny soft" title=${fullTime(call.time)}>${logTime(call.time, 3)}</time>
      <span class="log-version">${versionName(call.version)}</span>${call.mode !== "live" && html`<${ModeTag} mode=${call.mode} />`}
      <span>${call.event ? t(`plugins.event_${call.event}`) : ""}</span><${OutcomeTag} outcome=${call.outcome} />
      <span class="number soft tiny">${milliseconds(call.durationMicros)} · ${sizeOf(call.peakMemoryBytes)}</span>
      ${call.subjectId && html`<${Link} class="tiny mono" to=${`/plugins/${encodeURIComponent(name)}/conversations`} search=${{ chat: call.subjectId }} title=${t("plugins.showConversation")}>${call.subjectId.slice(-8)}<//>`}</div>
    ${call.logs.map((line, index) => html`<p key=${index} class="log-text mono tiny pre">${line}</p>`)}
    ${call.error && html`<p class="log-text danger-text small pre">${call.error}</p>`}
    ${call.consequence && html`<p class="log-text small soft">${call.consequence}</p>`}</li>`;
}
