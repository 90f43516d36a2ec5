// Talks to any version of a plugin without effects.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { known, t } from "#app/i18n.js";
import { Button, Select, TextArea, TextField } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Fault } from "#ui/states.js";
import { actionText, addressOf, milliseconds, sizeOf, versionName } from "./facts.js";
import { Code, Notice } from "./parts.js";
import { JsonField } from "./schema-form.js";
import { after, begin } from "./tester-model.js";

/** @typedef {import("./types.js").Plugin} Plugin */

/** @param {{plugin: Plugin}} props */
export default function Tester({ plugin }) {
  const versions = plugin.source === "uploaded" ? plugin.versions ?? [] : [];
  const [version, setVersion] = useState(String(versions[0]?.version ?? ""));
  const live = (plugin.activations ?? []).find((one) => one.mode === "live");
  const [config, setConfig] = useState(/** @type {any} */ (live && !live.secrets.length ? live.config : undefined));
  const [last, setLast] = useState(/** @type {any} */ (null));
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const invoke = async (/** @type {any} */ event, /** @type {any} */ session) => {
    setBusy(true);
    setFault(null);
    try {
      const answer = await api.post(addressOf(plugin.name, "/invoke"), { ...(version ? { version: Number(version) } : {}), event, ...(session ? { session } : {}), ...(config === undefined ? {} : { config }) });
      setLast(answer);
      return answer;
    } catch (error) {
      setFault(error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const side = html`<div class="stack">
    ${versions.length > 0 && html`<${Select} label=${t("plugins.version")} value=${version} options=${versions.map((one) => [String(one.version), versionName(one.version)])} onValue=${setVersion} />`}
    <${JsonField} label=${t("plugins.configurationJson")} hint=${t("plugins.testerConfigHint")} value=${config} onValue=${setConfig} />
    ${last && html`<dl class="facts" aria-label=${t("plugins.lastCallTitle")}><dt>${t("plugins.duration")}</dt><dd>${milliseconds(last.durationMicros)}</dd>
      <dt>${t("plugins.processor")}</dt><dd>${milliseconds(last.processorMicros)}</dd><dt>${t("plugins.memory")}</dt><dd>${sizeOf(last.peakMemoryBytes)}</dd></dl>`}
    ${fault && html`<${Fault} error=${fault} />`}</div>`;
  return html`<div class="stack"><${Notice}>${t("plugins.testerHint")}<//>
    ${plugin.world === "chatbot" ? html`<${Talk} key=${version} invoke=${invoke} busy=${busy} side=${side} />` : html`<${OneCall} invoke=${invoke} busy=${busy} side=${side} last=${last} />`}</div>`;
}

/** @param {{invoke: (event: any, session?: any) => Promise<any>, busy: boolean, side: any}} props */
function Talk({ invoke, busy, side }) {
  const [talk, setTalk] = useState(begin);
  const [text, setText] = useState("");
  const [name, setName] = useState("Thandi");
  const log = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [talk]);
  const call = async (/** @type {any} */ event, /** @type {any} */ entry) => {
    const asked = { ...talk, entries: [...talk.entries, entry] };
    setTalk(asked);
    const answer = await invoke(event, { state: talk.state, customer: { name } });
    if (answer) setTalk(after(asked, answer));
  };
  const write = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!text.trim() || busy) return;
    setText("");
    call({ type: "message", message: { content: { type: "text", text } } }, { from: "customer", text });
  };
  const tap = (/** @type {any} */ choice) => call({ type: "message", message: { content: { type: "interactive", id: choice.id, title: choice.title } } }, { from: "customer", text: choice.title });
  const fire = (/** @type {string} */ timer) => call({ type: "timer", name: timer }, { from: "system", text: "timer", detail: { name: timer } });
  const latest = talk.entries.findLast((one) => one.choices?.length);
  return html`<div class="tester">
    <div class="talk card">
      <div class="talk-log scroll" ref=${log} role="log" aria-label=${t("plugins.talk")} tabindex="0">
        ${talk.entries.length === 0 && html`<p class="talk-empty soft small">${t("plugins.talkEmpty")}</p>`}
        ${talk.entries.map((entry, index) => html`<${Said} key=${index} entry=${entry} tap=${entry === latest && !busy ? tap : null} />`)}
      </div>
      ${talk.over && html`<p class="banner small">${t(`plugins.over_${talk.over}`)}</p>`}
      <form class="row talk-form" onSubmit=${write}><div class="grow"><${TextField} label=${t("plugins.write")} hideLabel=${true} placeholder=${t("plugins.write")} value=${text} onValue=${setText} autocomplete="off" /></div>
        <${Button} kind="primary" type="submit" icon="send" label=${t("plugins.send")} busy=${busy} /></form>
    </div>
    <aside class="stack" aria-label=${t("plugins.testerSettings")}>${side}
      <${TextField} label=${t("plugins.customerName")} value=${name} onValue=${setName} />
      <div class="row wrap"><${Button} kind="small" icon="play" onClick=${() => call({ type: "conversation-started" }, { from: "system", text: "conversation-started" })}>${t("plugins.event_conversation-started")}<//>
        <${Button} kind="small" icon="undo" onClick=${() => setTalk(begin())}>${t("plugins.startAgain")}<//></div>
      <dl class="facts"><dt>${t("plugins.state")}</dt><dd><code>${talk.state || "–"}</code></dd>
        ${Object.entries(talk.timers).map(([timer, seconds]) => html`<dt key=${timer}>${t("plugins.timer", { name: timer })}</dt><dd class="row wrap">${seconds} s <${Button} kind="small" icon="clock" onClick=${() => fire(timer)}>${t("plugins.fire")}<//></dd>`)}
        ${Object.entries(talk.values).map(([key, value]) => html`<dt key=${key}><code>${key}</code></dt><dd><code>${String(value)}</code></dd>`)}</dl>
    </aside></div>`;
}

/** @param {{entry: import("./tester-model.js").Entry, tap: null | ((choice: any) => void)}} props */
function Said({ entry, tap }) {
  if (entry.from === "system") {
    const words = known(`plugins.action_${entry.text}`) ?? known(`plugins.event_${entry.text}`) ?? entry.text;
    const detail = entry.detail && (typeof entry.detail === "string" ? entry.detail : entry.detail.message ?? (entry.detail.key ? `${entry.detail.key} = ${entry.detail.value}` : actionText({ type: "", ...entry.detail })));
    return html`<div class=${`talk-note tiny ${entry.fault ? "danger-text" : "soft"}`}><strong>${words}</strong> <span class="pre">${detail}</span></div>`;
  }
  return html`<div class=${`talk-said ${entry.from}`}><span class="hidden-text">${t(entry.from === "bot" ? "plugins.bot" : "plugins.customer")}: </span><p class="pre">${entry.text}</p>
    ${entry.choices?.length ? html`<div class="row wrap">${entry.choices.map((choice) => html`<${Button} key=${choice.id} kind="small" disabled=${!tap} onClick=${() => tap?.(choice)}>${choice.title}<//>`)}</div>` : null}</div>`;
}

/** One call of a plugin that is no chatbot. @param {{invoke: (event: any) => Promise<any>, busy: boolean, side: any, last: any}} props */
function OneCall({ invoke, busy, side, last }) {
  const [text, setText] = useState("{}");
  const [wrong, setWrong] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const input = JSON.parse(text || "{}");
      setWrong("");
      await invoke(input);
    } catch (error) {
      setWrong(t("plugins.badJson", { message: /** @type {Error} */ (error).message }));
    }
  };
  return html`<div class="tester"><form class="card stack" onSubmit=${send}>
      <${TextArea} label=${t("plugins.input")} hint=${t("plugins.inputHint")} value=${text} onValue=${setText} fault=${wrong} class="mono" rows="8" spellcheck=${false} />
      <div><${Button} kind="primary" type="submit" icon="play" busy=${busy}>${t("plugins.callNow")}<//></div>
      ${last && html`<h3><${Icon} name="arrowRight" size="small" />${t("plugins.answer")}</h3><${Code} value=${last} label=${t("plugins.answer")} />`}</form>
    <aside aria-label=${t("plugins.testerSettings")}>${side}</aside></div>`;
}
