// A phone: its frame, the bar of the app, the messages, and the field to write.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { reasonOf } from "./call.js";
import { Composer } from "./composer.js";
import { fromFile } from "./files.js";
import { Icon } from "./icons.js";
import { ListSheet, SettingsSheet } from "./sheets.js";
import { Thread } from "./thread.js";

/**
 * @typedef {import("./channels/channel.js").Channel} Channel
 * @typedef {import("./channels/channel.js").Draft} Draft
 * @typedef {import("./channels/model.js").Message} Message
 * @typedef {{kind: "settings"}|{kind: "list", list: NonNullable<Message["list"]>}} Sheet
 */

/** The bar at the top of a screen. It is decoration. */
export function StatusBar() {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10000);
    return () => clearInterval(timer);
  }, []);
  // In the form of the times of messages, without AM or PM.
  const parts = new Intl.DateTimeFormat([], { timeStyle: "short" }).formatToParts(now);
  const time = parts.filter((one) => one.type !== "dayPeriod").map((one) => one.value).join("").trim();
  return html`<div class="statusbar" aria-hidden="true">
    <span>${time}</span><span class="island"></span><span class="bars"><i></i><i></i><i></i><b></b></span>
  </div>`;
}

/** The name of a phone above its frame. @param {{id: string, title: string, detail: string}} props */
export function Caption({ id, title, detail }) {
  return html`<h2 class="caption" id=${`${id}-title`}><span class="dot" aria-hidden="true"></span>${title}<small>${detail}</small></h2>`;
}

/** @param {string} title */
function initials(title) {
  return title.replace(/[^\p{L}\p{N} ]/gu, "").split(" ").filter(Boolean).slice(0, 2).map((word) => word[0]).join("").toUpperCase();
}

/** @param {{channel: Channel, state: import("./channels/channel.js").ChannelState, open: boolean, onSettings: () => void}} props */
function AppBar({ channel, state, open, onSettings }) {
  const { peer, peers, typing } = state;
  const line = typing ? "typing…" : peer?.line || "";
  const title = peer?.title || channel.title;
  return html`<header class="appbar">
    <span class="avatar" aria-hidden="true">${initials(title) || "?"}</span>
    <div class="who">
      ${peers.length > 1
        ? html`<select aria-label=${`Business on ${channel.title}`} value=${peer?.id} onChange=${(/** @type {EventOf<HTMLSelectElement>} */ event) => channel.choosePeer(event.currentTarget.value)}>
            ${peers.map((one) => html`<option key=${one.id} value=${one.id}>${one.title}</option>`)}
          </select>`
        : html`<strong>${title}</strong>`}
      <span class="line" aria-live="polite">${line}</span>
    </div>
    <button class="round" aria-label=${`Settings of the phone with ${channel.title}`} aria-expanded=${open} onClick=${onSettings}><${Icon} name="gear" /></button>
  </header>`;
}

/**
 * The phone vibrates when a message arrives, unless the person wants no motion.
 * @param {{current: HTMLElement|null}} device @param {string|undefined} newest id of the newest message, undefined before the first view
 */
function useVibration(device, newest) {
  const before = useRef(/** @type {string|undefined} */ (undefined));
  useEffect(() => {
    const arrived = before.current !== undefined && newest && newest !== before.current;
    if (newest !== undefined) before.current = newest;
    if (!arrived || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    device.current?.animate([0, -3, 3, -2, 2, 0].map((x) => ({ transform: `translateX(${x}px)` })), { duration: 280 });
  }, [newest]);
}

/** @param {{channel: Channel}} props */
export function Phone({ channel }) {
  const [sheet, setSheet] = useState(/** @type {Sheet|null} */ (null));
  const [reply, setReply] = useState(/** @type {import("./channels/channel.js").Reply|null} */ (null));
  const [problem, setProblem] = useState("");
  const [dropping, setDropping] = useState(false);
  const state = channel.state();
  const person = channel.person();
  const peer = state?.peer ?? null;
  const device = useRef(/** @type {HTMLElement|null} */ (null));
  useVibration(device, state ? state.messages.findLast((one) => !one.own)?.id ?? "" : undefined);

  /** @type {import("./channels/channel.js").Act} */
  const act = async (deed) => {
    try {
      await deed();
      setProblem("");
      return true;
    } catch (error) {
      setProblem(reasonOf(error));
      return false;
    }
  };
  /** @param {Draft|Promise<Draft>} given */
  const send = (given) => act(async () => {
    const what = await given;
    if (!reply?.editing) await channel.send({ ...what, quote: reply?.message.id }, peer);
    else if (what.kind === "text") await channel.edit?.(reply.message, what.text, peer);
    else {
      // Only words replace the words of a message. Anything else is a message of its own.
      await channel.send(what, peer);
      return;
    }
    setReply(null);
  });
  /** @param {File[]} files */
  const sendFiles = async (files) => {
    for (const file of files) await act(async () => channel.send(await fromFile(file), peer));
  };
  const takesFiles = channel.kinds.includes("document");

  /** @param {DragEvent} event */
  function drop(event) {
    setDropping(false);
    // The list of the event is empty after it.
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!takesFiles || !files.length) return;
    event.preventDefault();
    if (state && !state.barred) sendFiles(files);
  }
  /** @param {DragEvent} event */
  function drag(event) {
    if (!takesFiles) return;
    event.preventDefault();
    setDropping(true);
  }

  const close = () => setSheet(null);
  /** @param {Message} message */
  const list = (message) => message.list && setSheet({ kind: "list", list: message.list });
  /** @param {Message} message */
  const answer = (message) => setReply({ message });
  /** @param {Message} message */
  const edit = (message) => setReply({ message, editing: true });
  const body = state && html`
    <${AppBar} channel=${channel} state=${state} open=${sheet?.kind === "settings"}
      onSettings=${() => setSheet(sheet?.kind === "settings" ? null : { kind: "settings" })} />
    <${Thread} channel=${channel} state=${state} act=${act} onList=${list}
      onReply=${answer} onEdit=${edit} onHint=${(/** @type {string} */ text) => send({ kind: "text", text })} />
    ${problem && html`<p class="problem" role="alert"><span>${problem}</span>
      <button class="round" aria-label="Close the message" onClick=${() => setProblem("")}><${Icon} name="close" /></button></p>`}
    <${Composer} channel=${channel} state=${state} reply=${reply} send=${send} sendFiles=${sendFiles} onForget=${() => setReply(null)} />
    ${sheet?.kind === "settings" && html`<${SettingsSheet} channel=${channel} act=${act} onClose=${close} />`}
    ${sheet?.kind === "list" && html`<${ListSheet} list=${sheet.list} act=${act} onClose=${close} />`}`;

  return html`<section class=${`phone ${channel.id}`} id=${channel.id} aria-labelledby=${`${channel.id}-title`}>
    <${Caption} id=${channel.id} title=${channel.title} detail=${person.label} />
    <div ref=${device} class=${`device ${dropping ? "dropping" : ""}`} onDragOver=${drag} onDragLeave=${() => setDropping(false)} onDrop=${drop}>
      <div class="screen"><${StatusBar} />${body || html`<p class="waiting">Connecting…</p>`}</div>
    </div>
  </section>`;
}
