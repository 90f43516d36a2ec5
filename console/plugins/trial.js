// A trial of a version: the share of a canary with both versions side by side, and the differences of a shadow.
import { html } from "htm/preact";
import { useEffect, useId, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { percentOf } from "#app/numbers.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { Empty, Fault } from "#ui/states.js";
import { report, reportFault } from "#ui/toast.js";
import { ActivateDialog } from "./activate.js";
import { useCalls, figuresOf, histogram } from "./calls.js";
import { Differences } from "./differences.js";
import { addressOf, milliseconds, placeName, scopeOf, sizeOf, versionName } from "./facts.js";
import { ModeTag, Notice } from "./parts.js";
import { RollbackDialog } from "./rollback.js";

/** @typedef {import("./types.js").Activation} Activation */
/** @typedef {import("./types.js").Plugin} Plugin */

/** @param {{plugin: Plugin, inboxes: import("./types.js").Inbox[], reload: () => void}} props */
export default function Trial({ plugin, inboxes, reload }) {
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const trials = (plugin.activations ?? []).filter((one) => one.mode !== "live");
  const close = () => setDialog(null);
  const done = () => {
    close();
    reload();
  };
  return html`<div class="stack loose">
    ${trials.length === 0 && html`<div class="card"><${Empty} icon="chart" title=${t("plugins.noTrial")}><p>${t("plugins.noTrialHint")}</p>
      <div class="row wrap"><${Button} kind="primary" icon="chart" onClick=${() => setDialog({ kind: "activate", mode: "canary" })}>${t("plugins.startCanary")}<//>
      <${Button} icon="panel" onClick=${() => setDialog({ kind: "activate", mode: "shadow" })}>${t("plugins.startShadow")}<//></div><//></div>`}
    ${trials.map((one) => html`<${OneTrial} key=${`${one.whatsAppNumberId} ${one.mode}`} ...${{ trial: one, plugin, inboxes, reload, open: setDialog }} />`)}
    <${Differences} plugin=${plugin} />
    ${dialog?.kind === "activate" && html`<${ActivateDialog} plugin=${plugin} inboxes=${inboxes} mode=${dialog.mode} of=${dialog.of} version=${dialog.version} onClose=${close} onDone=${done} />`}
    ${dialog?.kind === "rollback" && html`<${RollbackDialog} plugin=${plugin} inboxes=${inboxes} of=${dialog.of} onClose=${close} onDone=${done} />`}
  </div>`;
}

/** @param {{trial: Activation, plugin: Plugin, inboxes: import("./types.js").Inbox[], reload: () => void, open: (dialog: any) => void}} props */
function OneTrial({ trial, plugin, inboxes, reload, open }) {
  const { calls, error, loaded, more } = useCalls(plugin.name);
  const live = (plugin.activations ?? []).find((one) => one.mode === "live" && one.whatsAppNumberId === trial.whatsAppNumberId)
    ?? (plugin.activations ?? []).find((one) => one.mode === "live" && !one.whatsAppNumberId);
  const during = calls.filter((one) => one.time >= trial.activatedTime);
  const mine = figuresOf(during.filter((one) => one.activationId === trial.id));
  const theirs = figuresOf(during.filter((one) => live && one.activationId === live.id));
  const place = placeName(trial.whatsAppNumberId, inboxes);
  // The page reads the latest calls only.
  const isPart = more && (calls.at(-1)?.time ?? "") > trial.activatedTime;
  return html`<section class="card stack" aria-label=${`${t(`plugins.mode_${trial.mode}`)} ${place}`}>
    <div class="row wrap"><${ModeTag} mode=${trial.mode} percent=${trial.percent} /><h2>${versionName(trial.version)}</h2><span class="soft number">${place}</span>
      <time class="small soft since" title=${fullTime(trial.activatedTime)}>${t("plugins.since", { time: shortTime(trial.activatedTime) })}</time>
      <${Button} kind="danger" icon="undo" onClick=${() => open({ kind: "rollback", of: trial })}>${t("plugins.endTrial")}<//>
      <${Button} kind="primary" icon="check" onClick=${() => open({ kind: "activate", of: trial, version: trial.version, mode: "live" })}>${t("plugins.makeLive")}<//></div>
    ${trial.mode === "canary" && html`<${Share} trial=${trial} plugin=${plugin} reload=${reload} />`}
    ${error && html`<${Fault} error=${error} />`}
    <div class="versus" aria-busy=${loaded ? undefined : "true"}>
      <${Side} title=${live ? t("plugins.liveVersion", { version: versionName(live.version) }) : t("plugins.otherPlugin")} figures=${theirs} other=${mine} mode="live" />
      <${Side} title=${t(`plugins.${trial.mode}Version`, { version: versionName(trial.version) })} figures=${mine} other=${theirs} mode=${trial.mode} />
    </div>
    ${isPart && html`<p class="small soft">${t("plugins.lastCalls", { count: calls.length })}</p>`}
    ${trial.mode === "canary" && html`<p class="small soft">${t("plugins.canaryRule", { threshold: trial.errorThreshold, calls: trial.minimumCalls })}</p>`}
    ${!live && html`<${Notice}>${t("plugins.noLiveHere")}<//>`}
  </section>`;
}

/** The share of participants of a canary. @param {{trial: Activation, plugin: Plugin, reload: () => void}} props */
function Share({ trial, plugin, reload }) {
  // A plugin may have a canary at several places.
  const id = useId();
  const [percent, setPercent] = useState(trial.percent);
  const [busy, setBusy] = useState(false);
  useEffect(() => setPercent(trial.percent), [trial.percent]);
  const apply = async () => {
    setBusy(true);
    try {
      await api.post(addressOf(plugin.name, "/activate"), { version: trial.version, mode: "canary", percent, errorThreshold: trial.errorThreshold, minimumCalls: trial.minimumCalls, ...scopeOf(trial) });
      report(t("plugins.shareChanged", { version: versionName(trial.version), percent }));
      reload();
    } catch (error) {
      reportFault(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<div class="share"><label for=${id} class="small strong">${t("plugins.share")}</label>
    <input id=${id} type="range" min="1" max="99" step="1" value=${percent} aria-valuetext=${`${percent} %`} style=${{ "--share": `${percent}%` }}
      onInput=${(/** @type {any} */ event) => setPercent(Number(event.currentTarget.value))} />
    <output for=${id} class="number share-value">${percent} %</output>
    <${Button} kind=${percent === trial.percent ? "" : "primary"} busy=${busy} disabled=${percent === trial.percent} onClick=${apply}>${t("plugins.apply")}<//>
    <div class="button-group">${[5, 10, 25, 50, 75].map((one) => html`<${Button} key=${one} kind="small" aria-pressed=${one === percent ? "true" : "false"} onClick=${() => setPercent(one)}>${one} %<//>`)}</div></div>`;
}

/** @param {{title: string, figures: import("./calls.js").Figures, other: import("./calls.js").Figures, mode: string}} props */
function Side({ title, figures, other, mode }) {
  const share = figures.calls ? figures.failures / figures.calls : 0;
  const otherShare = other.calls ? other.failures / other.calls : 0;
  const bars = histogram(figures.durations);
  const most = Math.max(1, ...bars);
  const slower = other.median > 0 && figures.calls > 5 && figures.median > other.median * 1.5;
  return html`<div class=${`side ${mode}`}><h3>${title}</h3>
    <dl class="side-figures">
      <div><dt>${t("plugins.calls")}</dt><dd class="figure-value number">${figures.calls}</dd></div>
      <div class=${figures.failures && share > otherShare ? "bad" : ""}><dt>${t("plugins.failures")}</dt><dd class="figure-value number">${figures.failures}<span class="small soft"> ${figures.calls ? percentOf(share) : ""}</span></dd></div>
      <div class=${slower ? "bad" : ""}><dt>${t("plugins.median")}</dt><dd class="figure-value number">${figures.calls ? milliseconds(figures.median) : "–"}</dd></div>
      <div><dt>${t("plugins.p95")}</dt><dd class="figure-value number">${figures.calls ? milliseconds(figures.slow) : "–"}</dd></div>
      <div><dt>${t("plugins.memory")}</dt><dd class="figure-value number">${figures.memory ? sizeOf(figures.memory) : "–"}</dd></div>
    </dl>
    <figure class="bars-box"><figcaption class="tiny soft">${t("plugins.latencies")}</figcaption>
      <svg class="bars" viewBox="0 0 90 24" preserveAspectRatio="none" role="img" aria-label=${t("plugins.latenciesText", { median: milliseconds(figures.median), slow: milliseconds(figures.slow) })}>
        ${bars.map((count, index) => html`<rect key=${index} x=${index * 10 + 0.5} width="9" y=${24 - (count / most) * 23} height=${(count / most) * 23 + (count ? 0 : 0.4)} />`)}</svg>
      <div class="bar-names tiny soft" aria-hidden="true"><span>1</span><span>4</span><span>16</span><span>64</span><span>256 ms</span></div></figure>
  </div>`;
}
