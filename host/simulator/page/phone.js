// A phone: its frame, the bar of the app, the messages, and the field to write.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Composer } from "./composer.js";
import { fromFile } from "./files.js";
import { Icon } from "./icons.js";
import { ListSheet, SettingsSheet } from "./sheets.js";
import { Thread } from "./thread.js";

/** The bar at the top of a screen. It is decoration. */
export function StatusBar() {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10000);
    return () => clearInterval(timer);
  }, []);
  const time = now.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return html`<div class="statusbar" aria-hidden="true">
    <span>${time}</span><span class="island"></span><span class="bars"><i></i><i></i><i></i><b></b></span>
  </div>`;
}

/** The name of a phone above its frame. */
export function Caption({ id, title, detail }) {
  return html`<h2 class="caption" id=${`${id}-title`}><span class="dot" aria-hidden="true"></span>${title}<small>${detail}</small></h2>`;
}

function initials(title) {
  return title.replace(/[^\p{L}\p{N} ]/gu, "").split(" ").filter(Boolean).slice(0, 2).map((word) => word[0]).join("").toUpperCase();
}

function AppBar({ channel, state, open, onSettings }) {
  const { peer, peers, typing } = state;
  const line = typing ? "typing…" : peer?.line || "";
  const title = peer?.title || channel.title;
  return html`<header class="appbar">
    <span class="avatar" aria-hidden="true">${initials(title) || "?"}</span>
    <div class="who">
      ${peers.length > 1
        ? html`<select aria-label=${`Business on ${channel.title}`} value=${peer?.id} onChange=${(event) => channel.choosePeer(event.currentTarget.value)}>
            ${peers.map((one) => html`<option key=${one.id} value=${one.id}>${one.title}</option>`)}
          </select>`
        : html`<strong>${title}</strong>`}
      <span class="line" aria-live="polite">${line}</span>
    </div>
    <button class="round" aria-label=${`Settings of the phone with ${channel.title}`} aria-expanded=${open} onClick=${onSettings}><${Icon} name="gear" /></button>
  </header>`;
}

/** The phone vibrates when a message arrives, unless the person wants no motion. */
function useVibration(device, newest) {
  const before = useRef(undefined);
  useEffect(() => {
    const arrived = before.current !== undefined && newest && newest !== before.current;
    if (newest !== undefined) before.current = newest;
    if (!arrived || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    device.current?.animate([0, -3, 3, -2, 2, 0].map((x) => ({ transform: `translateX(${x}px)` })), { duration: 280 });
  }, [newest]);
}

/** @param {{channel: import("./channels/channel.js").Channel}} props */
export function Phone({ channel }) {
  const [sheet, setSheet] = useState(null);
  const [reply, setReply] = useState(null);
  const [problem, setProblem] = useState("");
  const [dropping, setDropping] = useState(false);
  const state = channel.state();
  const person = channel.person();
  const device = useRef(null);
  useVibration(device, state ? state.messages.findLast((one) => !one.own)?.id ?? "" : undefined);

  /** Runs a deed of the person, and shows why it failed. */
  async function act(deed) {
    try {
      await deed();
      setProblem("");
      return true;
    } catch (error) {
      setProblem(error.message);
      return false;
    }
  }
  const send = async (what) => {
    const sent = await act(() => (reply?.editing
      ? channel.edit(reply.message, what.text, state.peer)
      : channel.send({ ...what, quote: reply?.message.id }, state.peer)));
    if (sent) setReply(null);
    return sent;
  };
  const sendFiles = async (files) => {
    for (const file of files) await act(async () => channel.send(await fromFile(file), state.peer));
  };
  const takesFiles = channel.kinds.includes("document");

  function drop(event) {
    setDropping(false);
    if (!takesFiles || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    sendFiles(event.dataTransfer.files);
  }
  function drag(event) {
    if (!takesFiles) return;
    event.preventDefault();
    setDropping(true);
  }

  const close = () => setSheet(null);
  const body = state && html`
    <${AppBar} channel=${channel} state=${state} open=${sheet?.kind === "settings"}
      onSettings=${() => setSheet(sheet?.kind === "settings" ? null : { kind: "settings" })} />
    <${Thread} channel=${channel} state=${state} act=${act} onList=${(message) => setSheet({ kind: "list", message })}
      onReply=${(message) => setReply({ message })} onEdit=${(message) => setReply({ message, editing: true })} onHint=${(text) => send({ kind: "text", text })} />
    ${problem && html`<p class="problem" role="alert"><span>${problem}</span>
      <button class="round" aria-label="Close the message" onClick=${() => setProblem("")}><${Icon} name="close" /></button></p>`}
    <${Composer} channel=${channel} state=${state} reply=${reply} send=${send} sendFiles=${sendFiles} onForget=${() => setReply(null)} />
    ${sheet?.kind === "settings" && html`<${SettingsSheet} channel=${channel} act=${act} onClose=${close} />`}
    ${sheet?.kind === "list" && html`<${ListSheet} message=${sheet.message} act=${act} onClose=${close} />`}`;

  return html`<section class=${`phone ${channel.id}`} id=${channel.id} aria-labelledby=${`${channel.id}-title`}>
    <${Caption} id=${channel.id} title=${channel.title} detail=${person.label} />
    <div ref=${device} class=${`device ${dropping ? "dropping" : ""}`} onDragOver=${drag} onDragLeave=${() => setDropping(false)} onDrop=${drop}>
      <div class="screen"><${StatusBar} />${body || html`<p class="waiting">Connecting…</p>`}</div>
    </div>
  </section>`;
}
