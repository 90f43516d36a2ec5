// The field to write, with the menu of everything else that a phone can send.
import { html } from "htm/preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { summary } from "./channels/model.js";
import { sample } from "./files.js";
import { Icon } from "./icons.js";
import { ContactForm, PlaceForm } from "./forms.js";

/**
 * @typedef {import("./channels/channel.js").Channel} Channel
 * @typedef {import("./channels/channel.js").Draft} Draft
 * @typedef {import("./channels/channel.js").MenuKind} MenuKind
 * @typedef {(what: Draft|Promise<Draft>) => Promise<boolean>} Send false if the message was not sent
 */

/** @type {Record<MenuKind, [string, string]>} */
const ENTRIES = {
  photo: ["photo", "Photo"],
  video: ["video", "Video"],
  voice: ["voice", "Voice note"],
  document: ["file", "Document"],
  sticker: ["sticker", "Sticker"],
  place: ["pin", "Place"],
  contact: ["person", "Contact"],
  order: ["cart", "Order"],
  dice: ["dice", "Die"],
  link: ["link", "Shared link"],
  menu: ["menu", "Get started"],
  unsupported: ["question", "Unknown kind"],
};

/** @param {{channel: Channel, send: Send, onFile: () => void, onClose: () => void}} props */
function AttachMenu({ channel, send, onFile, onClose }) {
  const [form, setForm] = useState(/** @type {""|"place"|"contact"} */ (""));
  const first = useRef(/** @type {HTMLButtonElement|null} */ (null));
  useLayoutEffect(() => first.current?.focus(), []);
  /** @param {MenuKind} kind */
  const choose = (kind) => {
    if (kind === "place" || kind === "contact") {
      setForm(kind);
      return;
    }
    onClose();
    send(sample(kind));
  };
  /** @param {Draft} what */
  const done = (what) => {
    onClose();
    send(what);
  };
  const escape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && onClose();
  if (form) {
    return html`<div class="attach" onKeyDown=${escape}>${form === "place"
      ? html`<${PlaceForm} onDone=${done} />` : html`<${ContactForm} onDone=${done} />`}</div>`;
  }
  return html`<div class="attach grid" role="group" aria-label="Kinds of content" onKeyDown=${escape}>
    <button ref=${first} onClick=${() => { onClose(); onFile(); }}><span class="disc"><${Icon} name="plus" /></span>File…</button>
    ${channel.kinds.map((kind) => html`<button key=${kind} onClick=${() => choose(kind)}>
      <span class=${`disc for-${kind}`}><${Icon} name=${ENTRIES[kind][0]} /></span>${ENTRIES[kind][1]}</button>`)}
  </div>`;
}

/**
 * @param {{channel: Channel, state: import("./channels/channel.js").ChannelState, reply: import("./channels/channel.js").Reply|null, send: Send,
 *   sendFiles: (files: File[]) => void, onForget: () => void}} props
 */
export function Composer({ channel, state, reply, send, sendFiles, onForget }) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const field = useRef(/** @type {HTMLTextAreaElement|null} */ (null));
  const file = useRef(/** @type {HTMLInputElement|null} */ (null));
  const plus = useRef(/** @type {HTMLButtonElement|null} */ (null));

  useLayoutEffect(() => {
    if (!reply) return;
    if (reply.editing) setText(reply.message.text || "");
    field.current?.focus();
  }, [reply]);

  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    const words = text.trim();
    if (!words) return;
    setText("");
    // The words come back if they were not sent.
    if (!(await send({ kind: "text", text: words }))) setText(words);
  };
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
    if (event.key === "Escape" && reply) onForget();
  };
  /** @param {ClipboardEvent} event */
  const paste = (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length || !channel.kinds.length) return;
    event.preventDefault();
    sendFiles(files);
  };
  /** @param {EventOf<HTMLInputElement>} event */
  const choose = (event) => {
    sendFiles([...(event.currentTarget.files ?? [])]);
    event.currentTarget.value = "";
  };
  const close = () => {
    setOpen(false);
    plus.current?.focus();
  };

  if (state.barred) return html`<p class="barred">${state.barred}</p>`;
  return html`<div class="composer">
    ${state.notice && html`<p class="notice">${state.notice}</p>`}
    ${reply && html`<div class="replying"><span><b>${reply.editing ? "Edit" : "Reply to"}</b>${summary(reply.message)}</span>
      <button class="round" aria-label=${reply.editing ? "Do not edit" : "Do not reply"} onClick=${() => { if (reply.editing) setText(""); onForget(); }}><${Icon} name="close" /></button></div>`}
    ${open && html`<${AttachMenu} channel=${channel} send=${send} onClose=${close} onFile=${() => file.current?.click()} />`}
    <form onSubmit=${submit}>
      ${channel.kinds.length > 0 && html`<button type="button" class="round" ref=${plus} aria-label=${`Send something else on ${channel.title}`} aria-expanded=${open} onClick=${() => setOpen(!open)}><${Icon} name="plus" /></button>
        <input type="file" hidden ref=${file} multiple onChange=${choose} />`}
      <textarea rows=${Math.min(4, text.split("\n").length)} ref=${field} value=${text} placeholder="Message" aria-label=${`Message on ${channel.title}`} dir="auto" autocomplete="off"
        onInput=${(/** @type {EventOf<HTMLTextAreaElement>} */ event) => setText(event.currentTarget.value)} onKeyDown=${key} onPaste=${paste}></textarea>
      <button class="round send" aria-label=${`Send on ${channel.title}`}><${Icon} name="send" /></button>
    </form>
  </div>`;
}
