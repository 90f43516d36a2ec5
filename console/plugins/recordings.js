// Recordings of calls with all their input, and their replay with another version.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { known, t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Link } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button, Select, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Empty, Fault, Loaded } from "#ui/states.js";
import { Pager, Table, useFilledPage } from "#ui/table.js";
import { report, reportFault } from "#ui/toast.js";
import { actionText, addressOf, eventText, placeName, scopeOf, versionName } from "./facts.js";
import { Code, Compare, ModeTag, Notice } from "./parts.js";

/** @typedef {import("./types.js").Activation} Activation */
/** @typedef {import("./types.js").Plugin} Plugin */

/** @param {{plugin: Plugin, inboxes: import("./types.js").Inbox[], reload: () => void}} props */
export default function Recordings({ plugin, inboxes, reload }) {
  const [page, setPage] = useState(0);
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const load = useLoad((signal) => api.get(addressOf(plugin.name, "/recordings"), { page, size: 20 }, { signal }), [plugin.name, page]);
  useFilledPage(load.data, setPage);
  const columns = [
    { key: "time", title: t("plugins.time"), cell: (/** @type {any} */ one) => (one.time ? shortTime(one.time) : "") },
    { key: "version", title: t("plugins.version"), cell: (/** @type {any} */ one) => versionName(one.version) },
    { key: "input", title: t("plugins.input"), cell: (/** @type {any} */ one) => html`<span class="clip said">${inputText(one.recording?.question)}</span>` },
    { key: "answer", title: t("plugins.answer"), cell: (/** @type {any} */ one) => html`<span class="clip said">${answerText(one.recording?.result)}</span>` },
    { key: "chat", title: t("plugins.subject"), cell: (/** @type {any} */ one) => html`<${Link} class="mono tiny" to=${`/plugins/${encodeURIComponent(plugin.name)}/conversations`} search=${{ chat: one.subjectId }}>${one.subjectId.slice(-8)}<//>` },
  ];
  return html`<div class="stack loose">
    <${Recorders} plugin=${plugin} inboxes=${inboxes} reload=${reload} />
    <${Replay} plugin=${plugin} />
    <section class="stack"><div class="row between"><h2>${t("plugins.recordedCalls")}</h2><${Button} kind="small" icon="refresh" busy=${load.busy} onClick=${load.reload}>${t("plugins.reload")}<//></div>
      <${Loaded} load=${load}>${(/** @type {any} */ found) => (found.content.length
        ? html`<${Table} label=${t("plugins.recordedCalls")} columns=${columns} rows=${found.content} onOpen=${setShown} /><${Pager} page=${found} onPage=${setPage} />`
        : html`<div class="card"><${Empty} icon="archive" title=${t("plugins.noRecordings")}><p>${t("plugins.noRecordingsHint")}</p><//></div>`)}<//></section>
    ${shown && html`<${Dialog} title=${t("plugins.recordedCall", { time: fullTime(shown.time) })} wide=${true} onClose=${() => setShown(null)}>
      <h3>${t("plugins.input")}</h3><${Code} value=${shown.recording?.question} label=${t("plugins.input")} />
      <h3>${t("plugins.answer")}</h3><${Code} value=${shown.recording?.result} label=${t("plugins.answer")} /><//>`}
  </div>`;
}

/** @param {any} question */
function inputText(question) {
  const event = question?.event;
  return eventText(event) || (event?.type && known(`plugins.event_${event.type}`)) || t("plugins.callInput");
}

/** @param {any} result */
function answerText(result) {
  if (result?.actions) return result.actions.map(actionText).filter(Boolean).join(" · ");
  return JSON.stringify(result ?? null);
}

/** Starts and ends recordings. @param {{plugin: Plugin, inboxes: import("./types.js").Inbox[], reload: () => void}} props */
function Recorders({ plugin, inboxes, reload }) {
  const [calls, setCalls] = useState("500");
  const [minutes, setMinutes] = useState("60");
  const [sample, setSample] = useState("100");
  const active = plugin.activations ?? [];
  const act = async (/** @type {() => Promise<any>} */ run, /** @type {string} */ said) => {
    try {
      await run();
      report(said);
      reload();
    } catch (error) {
      reportFault(error);
    }
  };
  const start = (/** @type {Activation} */ one) => act(() => api.post(addressOf(plugin.name, "/recording"),
    { mode: one.mode, maxCalls: Number(calls), forSeconds: Number(minutes) * 60, sample: Number(sample) / 100, ...scopeOf(one) }), t("plugins.recordingStarted"));
  const stop = (/** @type {Activation} */ one) => act(() => api.remove(addressOf(plugin.name, "/recording"), { body: scopeOf(one) }), t("plugins.recordingStopped"));
  if (!active.length) return html`<${Notice}>${t("plugins.recordNeedsActivation")}<//>`;
  return html`<section class="stack"><h2>${t("plugins.record")}</h2><p class="small soft">${t("plugins.recordHint")}</p>
    <div class="plugin-filters"><${TextField} label=${t("plugins.mostCalls")} type="number" min="1" max="10000" value=${calls} onValue=${setCalls} />
      <${TextField} label=${t("plugins.minutes")} type="number" min="1" value=${minutes} onValue=${setMinutes} />
      <${TextField} label=${t("plugins.sample")} type="number" min="1" max="100" value=${sample} onValue=${setSample} /></div>
    <ul class="stack tight">${active.map((one) => html`<li key=${one.id} class="row wrap"><${ModeTag} mode=${one.mode} percent=${one.percent} /><span>${versionName(one.version)}</span><span class="soft number">${placeName(one.whatsAppNumberId, inboxes)}</span>
      ${one.recording && !one.recording.stopReason
        ? html`<span class="small soft grow record-state">${t("plugins.recordsUntil", { time: shortTime(one.recording.until) })}</span><${Button} kind="small" icon="pause" onClick=${() => stop(one)}>${t("plugins.stopRecording")}<//>`
        : html`<span class="small soft grow record-state">${one.recording?.stopReason ?? ""}</span><${Button} kind="small" icon="play" onClick=${() => start(one)}>${t("plugins.startRecording")}<//>`}</li>`)}</ul></section>`;
}

/** Replays recorded calls with a version. @param {{plugin: Plugin}} props */
function Replay({ plugin }) {
  const versions = plugin.versions ?? [];
  const [version, setVersion] = useState(String(versions[0]?.version ?? ""));
  const [limit, setLimit] = useState("100");
  const [result, setResult] = useState(/** @type {any} */ (null));
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  if (plugin.source !== "uploaded" || !versions.length) return null;
  const run = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      setResult(await api.post(addressOf(plugin.name, "/replay"), { version: Number(version), limit: Number(limit) }));
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<section class="stack"><h2>${t("plugins.replay")}</h2><p class="small soft">${t("plugins.replayHint")}</p>
    <form class="plugin-filters" onSubmit=${run}><${Select} label=${t("plugins.version")} value=${version} options=${versions.map((one) => [String(one.version), versionName(one.version)])} onValue=${setVersion} />
      <${TextField} label=${t("plugins.mostCalls")} type="number" min="1" max="10000" value=${limit} onValue=${setLimit} />
      <${Button} kind="primary" type="submit" icon="play" busy=${busy}>${t("plugins.replayNow")}<//></form>
    ${fault && html`<${Fault} error=${fault} />`}
    <div role="status">${result && html`<${Notice} icon=${result.different.length ? "warning" : "check"} tone=${result.different.length ? "warning" : ""}>${t("plugins.replayed", { replayed: result.replayed, identical: result.identical, different: result.replayed - result.identical })}<//>`}</div>
    ${result?.different.map((/** @type {any} */ one, /** @type {number} */ index) => html`<details key=${one.recordingId} class="card" open=${index === 0}>
      <summary class="row wrap"><span class="strong">${t("plugins.firstDifference")}</span><code class="clip grow">${one.difference}</code></summary>
      <${Compare} left=${one.then} right=${one.now} leftTitle=${t("plugins.then")} rightTitle=${t("plugins.now", { version: versionName(Number(version)) })} /></details>`)}</section>`;
}
