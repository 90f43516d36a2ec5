// The field to write, with the menu of everything else that a phone can send.
import { html } from "htm/preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { summary } from "./channels/model.js";
import { sample } from "./files.js";
import { Icon } from "./icons.js";
import { ContactForm, PlaceForm } from "./forms.js";

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

function AttachMenu({ channel, send, onFile, onClose }) {
  const [form, setForm] = useState("");
  const first = useRef(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const choose = async (kind) => {
    if (kind === "place" || kind === "contact") {
      setForm(kind);
      return;
    }
    onClose();
    await send(await sample(kind));
  };
  const done = (what) => {
    onClose();
    send(what);
  };
  const escape = (event) => event.key === "Escape" && onClose();
  if (form) {
    return html`<div class="attach" onKeyDown=${escape}>${form === "place"
      ? html`<${PlaceForm} onDone=${done} />` : html`<${ContactForm} onDone=${done} />`}</div>`;
  }
  return html`<div class="attach grid" role="group" aria-label="What to send" onKeyDown=${escape}>
    <button ref=${first} onClick=${() => { onClose(); onFile(); }}><span class="disc"><${Icon} name="plus" /></span>File…</button>
    ${channel.kinds.map((kind) => html`<button key=${kind} onClick=${() => choose(kind)}>
      <span class=${`disc for-${kind}`}><${Icon} name=${ENTRIES[kind][0]} /></span>${ENTRIES[kind][1]}</button>`)}
  </div>`;
}

export function Composer({ channel, state, reply, send, sendFiles, onForget }) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const field = useRef(null);
  const file = useRef(null);
  const plus = useRef(null);

  useLayoutEffect(() => {
    if (!reply) return;
    if (reply.editing) setText(reply.message.text || "");
    field.current?.focus();
  }, [reply]);

  const submit = async (event) => {
    event.preventDefault();
    const words = text.trim();
    if (!words) return;
    setText("");
    // The words come back if they were not sent.
    if (!(await send({ kind: "text", text: words }))) setText(words);
  };
  const key = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
    if (event.key === "Escape" && reply) onForget();
  };
  const paste = (event) => {
    const files = event.clipboardData?.files;
    if (!files?.length || !channel.kinds.length) return;
    event.preventDefault();
    sendFiles(files);
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
    ${open && html`<${AttachMenu} channel=${channel} send=${send} onClose=${close} onFile=${() => file.current.click()} />`}
    <form onSubmit=${submit}>
      ${channel.kinds.length > 0 && html`<button type="button" class="round" ref=${plus} aria-label=${`Send something else on ${channel.title}`} aria-expanded=${open} onClick=${() => setOpen(!open)}><${Icon} name="plus" /></button>
        <input type="file" hidden ref=${file} multiple onChange=${(event) => { sendFiles([...event.currentTarget.files]); event.currentTarget.value = ""; }} />`}
      <textarea rows=${Math.min(4, text.split("\n").length)} ref=${field} value=${text} placeholder="Message" aria-label=${`Message on ${channel.title}`} dir="auto" autocomplete="off"
        onInput=${(event) => setText(event.currentTarget.value)} onKeyDown=${key} onPaste=${paste}></textarea>
      <button class="round send" aria-label=${`Send on ${channel.title}`}><${Icon} name="send" /></button>
    </form>
  </div>`;
}
