// A conversation with a chatbot that is tried out: messages, taps, timers, and the memory of the conversation.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { known, t } from "#app/i18n.js";
import { Button, TextField } from "#ui/controls.js";
import { actionText } from "./facts.js";
import { after, begin } from "./tester-model.js";

/**
 * @param {{invoke: (event: any, session?: any) => Promise<any>, busy: boolean, side: any, hideState?: boolean, onTalk?: (talk: import("./tester-model.js").Conversation) => void}} props
 * `hideState`: the state is shown elsewhere. `onTalk` hears of the conversation as it goes on.
 */
export function Talk({ invoke, busy, side, hideState = false, onTalk }) {
  const [talk, setTalk] = useState(begin);
  const [text, setText] = useState("");
  const [name, setName] = useState("Thandi");
  const log = useRef(/** @type {HTMLElement | null} */ (null));
  const present = useRef(talk);
  present.current = talk;
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
    onTalk?.(talk);
  }, [talk]);
  /** Resolves to whether the plugin was called. A call that failed is taken back. */
  const call = async (/** @type {any} */ event, /** @type {any} */ entry) => {
    const asked = { ...talk, over: "", entries: [...talk.entries, entry] };
    present.current = asked;
    setTalk(asked);
    const answer = await invoke(event, { state: talk.state, customer: { name } });
    // The conversation may have begun again.
    if (present.current === asked) setTalk(answer ? after(asked, answer) : talk);
    return Boolean(answer);
  };
  const write = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!text.trim() || busy) return;
    setText("");
    const isCalled = await call({ type: "message", message: { content: { type: "text", text } } }, { from: "customer", text });
    if (!isCalled) setText((now) => now || text);
  };
  const tap = (/** @type {any} */ choice) => call({ type: "message", message: { content: { type: "choice", source: "interactive", payload: choice.id, text: choice.title } } }, { from: "customer", text: choice.title });
  const fire = (/** @type {string} */ timer) => call({ type: "timer", name: timer }, { from: "system", text: "timer", detail: { name: timer } });
  const latest = talk.entries.findLast((one) => one.choices?.length);
  return html`<div class="tester">
    <div class="talk card">
      <div class="talk-log scroll" ref=${log} role="log" aria-label=${t("plugins.talk")} tabindex="0">
        ${talk.entries.length === 0 && html`<p class="talk-empty soft small">${t("plugins.talkEmpty")}</p>`}
        ${talk.entries.map((entry, index) => (hideState && entry.text === "set-state" ? null : html`<${Said} key=${index} entry=${entry} tap=${entry === latest && !busy ? tap : null} />`))}
      </div>
      ${talk.over && html`<p class="banner small">${t(`plugins.over_${talk.over}`)}</p>`}
      <form class="row talk-form" onSubmit=${write}><div class="grow"><${TextField} label=${t("plugins.write")} hideLabel=${true} placeholder=${t("plugins.write")} value=${text} onValue=${setText} autocomplete="off" /></div>
        <${Button} kind="primary" type="submit" icon="send" label=${t("plugins.send")} busy=${busy} /></form>
    </div>
    <aside class="stack" aria-label=${t("plugins.testerSettings")}>${side}
      <${TextField} label=${t("plugins.customerName")} value=${name} onValue=${setName} />
      <div class="row wrap"><${Button} kind="small" icon="play" onClick=${() => call({ type: "conversation-started" }, { from: "system", text: "conversation-started" })}>${t("plugins.event_conversation-started")}<//>
        <${Button} kind="small" icon="undo" onClick=${() => setTalk(begin())}>${t("plugins.startAgain")}<//></div>
      <dl class="facts">${!hideState && html`<dt>${t("plugins.state")}</dt><dd><code>${talk.state || "–"}</code></dd>`}
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
