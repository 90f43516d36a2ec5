// The live tail: webhooks of the client as they are made, also those without an address.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { fullTime } from "#app/time.js";
import { Button, Select, Tag } from "#ui/controls.js";
import { Empty, Fault } from "#ui/states.js";
import { Code } from "../developers/parts.js";
import { hooks, TYPES } from "./calls.js";

/** @typedef {import("./calls.js").Heard} Heard */

const MOST = 200;
const PAUSE_MS = 2000;

/** @param {{config: import("./calls.js").Configuration}} props */
export function Live({ config }) {
  const [on, setOn] = useState(true);
  const [heard, setHeard] = useState(/** @type {Heard[]} */ ([]));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [type, setType] = useState("");
  const after = useRef(/** @type {number | undefined} */ (undefined));
  useEffect(() => {
    if (!on) return undefined;
    const control = new AbortController();
    follow(after, control.signal, (more) => setHeard((before) => [...more.reverse(), ...before].slice(0, MOST)), setError);
    return () => control.abort();
  }, [on]);
  const shown = heard.filter((one) => !type || one.webhookType === type);
  return html`<div class="filters">
      <${Select} label=${t("webhooks.webhook")} value=${type} onValue=${setType} options=${[["", t("webhooks.all")], ...TYPES.map(([one]) => [one, t(`webhooks.types.${one}`)])]} />
      <p class="row grow small" role="status"><i class=${`dot ${on && !error ? "success" : "warning"}`}></i>${t(on ? "webhooks.listening" : "webhooks.stopped")}</p>
      <div class="row"><${Button} icon=${on ? "pause" : "play"} onClick=${() => setOn(!on)}>${t(on ? "webhooks.pause" : "webhooks.resume")}<//>
        <${Button} icon="trash" label=${t("webhooks.clear")} onClick=${() => setHeard([])} /></div></div>
    <div class="section-body">${error && html`<${Fault} error=${error} />`}
      ${shown.length === 0 && html`<${Empty} icon="webhook" title=${t("webhooks.quiet")}><p>${t("webhooks.quietText")}</p><//>`}
      <ol class="stack" aria-label=${t("webhooks.parts.live")}>${shown.map((one) => html`<li key=${one.number ?? one.id}><${Webhook} heard=${one} config=${config} /></li>`)}</ol></div>`;
}

/** @param {{current: number | undefined}} after @param {AbortSignal} signal @param {(more: Heard[]) => void} add @param {(error: unknown) => void} fail */
async function follow(after, signal, add, fail) {
  while (!signal.aborted) {
    try {
      const { last, webhooks } = await hooks.listen(after.current, signal);
      if (signal.aborted) return;
      after.current = last;
      fail(null);
      if (webhooks.length) add(webhooks);
    } catch (error) {
      if (signal.aborted) return;
      fail(error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** @param {{heard: Heard, config: import("./calls.js").Configuration}} props */
function Webhook({ heard }) {
  const time = Number(heard.headers["webhook-timestamp"]) * 1000;
  return html`<details class="card heard"><summary class="row wrap"><${Tag} tone="accent">${t(`webhooks.types.${heard.webhookType}`)}<//><span class="grow clip small">${brief(heard.body)}</span>
      <time class="tiny soft number">${fullTime(time)}</time></summary>
    <div class="stack"><${Code} title=${t("webhooks.headers")} text=${Object.entries(heard.headers).map(([name, value]) => `${name}: ${value}`).join("\n")} /><${Code} title=${t("webhooks.body")} text=${heard.body} /></div></details>`;
}

/** A line of a body. @param {string} body */
function brief(body) {
  try {
    const read = JSON.parse(body);
    return [read.status ?? read.direction ?? read.eventType ?? read.event ?? read.type, read.text ?? read.messageText ?? read.message?.text ?? read.data?.text, read.gstId ?? read.data?.gstId].filter((one) => typeof one === "string").join(" · ");
  } catch {
    return body.slice(0, 120);
  }
}
