// A picture of one conversation: events, calls, actions and timers on one line of time.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { known, t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { go, query } from "#app/router.js";
import { duration, fullTime, logTime, shortTime } from "#app/time.js";
import { Button, TextField } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Empty, Loaded } from "#ui/states.js";
import { actionText, addressOf, eventText, failed, milliseconds, versionName } from "./facts.js";
import { ModeTag, Notice, OutcomeTag } from "./parts.js";
import { subjectsOf, timelineOf } from "./timeline.js";

/** @param {{plugin: import("./types.js").Plugin}} props */
export default function Picture({ plugin }) {
  const chat = query.value.chat ?? "";
  const [text, setText] = useState(chat);
  useEffect(() => setText(chat), [chat]);
  const to = `/plugins/${encodeURIComponent(plugin.name)}/conversations`;
  const find = (/** @type {Event} */ event) => {
    event.preventDefault();
    go(to, { search: { chat: text.trim() } });
  };
  return html`<div class="stack">
    <form class="plugin-filters" onSubmit=${find}><div class="grow"><${TextField} label=${t("plugins.subject")} value=${text} onValue=${setText} class="mono" spellcheck=${false} placeholder="01a2227f-0000-7000-8000-000000000001" /></div>
      <${Button} type="submit" icon="search">${t("plugins.show")}<//></form>
    ${chat ? html`<${Conversation} plugin=${plugin} chat=${chat} />` : html`<${Recent} plugin=${plugin} to=${to} />`}</div>`;
}

/** Conversations with calls of late. @param {{plugin: import("./types.js").Plugin, to: string}} props */
function Recent({ plugin, to }) {
  const load = useLoad((signal) => api.get(addressOf(plugin.name, "/invocations"), { size: 500 }, { signal }), [plugin.name]);
  return html`<${Loaded} load=${load}>${(/** @type {any} */ found) => {
    const subjects = subjectsOf(found.content);
    if (!subjects.length) return html`<${Empty} icon="flow" title=${t("plugins.noCalls")}><p>${t("plugins.noCallsHint")}</p><//>`;
    return html`<h2>${t("plugins.recentConversations")}</h2><ul class="list card flush-card">${subjects.map((one) => html`<li key=${one.id}><button type="button" class="list-row subject-row" onClick=${() => go(to, { search: { chat: one.id } })}>
      <${Icon} name="flow" /><code class="tiny">${one.id}</code><span class="grow small soft">${t("plugins.callCount", { count: one.calls })}${one.failures ? ` · ${t("plugins.failureCount", { count: one.failures })}` : ""}</span>
      <time class="small soft" title=${fullTime(one.last)}>${shortTime(one.last)}</time></button></li>`)}</ul>`;
  }}<//>`;
}

/** @param {{plugin: import("./types.js").Plugin, chat: string}} props */
function Conversation({ plugin, chat }) {
  const load = useLoad(async (signal) => {
    const [calls, recordings, decisions] = await Promise.all([
      api.get(addressOf(plugin.name, "/invocations"), { subjectId: chat, size: 500 }, { signal }),
      api.get(addressOf(plugin.name, "/recordings"), { subjectId: chat, size: 100 }, { signal }),
      api.get("/plugin-service/api/v1/routing-decisions", { participantId: chat, size: 100 }, { signal }).catch(() => ({ content: [] })),
    ]);
    return timelineOf(calls.content, recordings.content, decisions.content);
  }, [plugin.name, chat]);
  return html`<${Loaded} load=${load}>${(/** @type {any} */ { items, recorded }) => {
    if (!items.length) return html`<${Empty} icon="flow" title=${t("plugins.nothingKnown")}><p>${t("plugins.nothingKnownHint")}</p><//>`;
    return html`${!recorded && html`<${Notice}>${t("plugins.notRecorded")}<//>`}
      <${Strip} items=${items} /><ol class="picture" aria-label=${t("plugins.tab_conversations")}>${items.map((/** @type {any} */ item, /** @type {number} */ index) => html`<${Item} key=${item.id} item=${item} before=${items[index - 1]} />`)}</ol>`;
  }}<//>`;
}

/** All marks on one line, by time. @param {{items: any[]}} props */
function Strip({ items }) {
  const first = items[0].at;
  const whole = Math.max(1, items[items.length - 1].at - first);
  const x = (/** @type {number} */ at) => 10 + ((at - first) / whole) * 980;
  return html`<svg class="strip" viewBox="0 0 1000 64" preserveAspectRatio="none" aria-hidden="true">
    <line x1="10" x2="990" y1="32" y2="32" />
    ${items.filter((item) => item.kind === "timer" && item.until).map((item) => html`<rect key=${`t${item.id}`} class="timer" x=${x(item.at)} width=${Math.max(2, x(Math.min(item.until, first + whole)) - x(item.at))} y="46" height="6" rx="3" />`)}
    ${items.filter((item) => item.kind === "call").map((item) => html`<rect key=${item.id} class=${failed(item.call.outcome) ? "bad" : "call"} x=${x(item.at) - 3} width="6" y="14" height="36" rx="3" />`)}
  </svg>`;
}

/** @param {{item: any, before?: any}} props */
function Item({ item, before }) {
  const gap = before ? item.at - before.at : 0;
  const far = gap > 60_000 && html`<li class="gap tiny soft" aria-hidden="true">${duration(gap)}</li>`;
  if (item.kind === "route") {
    return html`${far}<li class="moment route"><${Icon} name="merge" /><div class="grow"><div class="row wrap"><strong>${t("plugins.routed", { target: item.decision.target?.name ?? item.decision.target?.type })}</strong>
      <span class="soft small">${item.decision.plugin} ${versionName(item.decision.version)}</span></div><p class="small soft">${item.decision.reason}</p></div><${At} at=${item.at} /></li>`;
  }
  if (item.kind === "timer") {
    return html`${far}<li class="moment timer"><${Icon} name="clock" /><div class="grow small">${t("plugins.timerStarted", { name: item.name, seconds: item.seconds })}${item.fired ? ` ${t("plugins.timerFired")}` : ""}</div></li>`;
  }
  if (item.kind === "action") {
    const tone = item.action.type.startsWith("reply-") ? "reply" : "";
    return html`<li class=${`moment action ${tone}`}><${Icon} name=${tone ? "chat" : "bolt"} /><div class="grow small"><strong>${known(`plugins.action_${item.action.type}`) ?? item.action.type}</strong> <span class="pre">${actionText(item.action)}</span></div></li>`;
  }
  const { call, event } = item;
  return html`${far}<li class=${`moment call ${failed(call.outcome) ? "bad" : ""}`}><${Icon} name=${call.event === "timer" ? "clock" : call.event === "message" ? "contact" : "flag"} />
    <div class="grow"><div class="row wrap"><strong>${call.event ? t(`plugins.event_${call.event}`) : t("plugins.call")}</strong>${event && html`<span class="pre">${eventText(event)}</span>`}</div>
      <div class="row wrap tiny soft"><span>${versionName(call.version)}</span>${call.mode !== "live" && html`<${ModeTag} mode=${call.mode} />`}<${OutcomeTag} outcome=${call.outcome} /><span class="number">${milliseconds(call.durationMicros)}</span></div>
      ${call.logs.map((/** @type {string} */ line, /** @type {number} */ index) => html`<p key=${index} class="mono tiny pre soft">${line}</p>`)}
      ${call.error && html`<p class="small danger-text pre">${call.error}</p>`}${call.consequence && html`<p class="small soft">${call.consequence}</p>`}</div><${At} at=${item.at} /></li>`;
}

/** @param {{at: number}} props */
function At({ at }) {
  return html`<time class="tiny soft number" title=${fullTime(at)}>${logTime(at)}</time>`;
}
