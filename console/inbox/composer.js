// The field in which an answer or a note is written.
import { html } from "htm/preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { duration } from "#app/time.js";
import { hasRole } from "#app/session.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { reportFault } from "#ui/toast.js";
import { AttachmentList, Attachments } from "./attachments.js";
import { draftOf, keepDraft } from "./drafts.js";
import { notes, writeNote } from "./notes.js";
import { SuggestionList, useSuggestions } from "./suggestions.js";
import { endWriting, writeIn } from "./viewers.js";
import { windowOf } from "./window.js";
import { summary } from "./words.js";

/** @typedef {import("./types.js").Chat} Chat */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./history.js").History} History */

const TYPING_MS = 4000;

/**
 * @param {{chat: Chat, history: History, attachments: Attachments, quote: Message | null, onQuote: (message: Message | null) => void, onTemplate: () => void, write: boolean}} props
 * `write`: the viewer may answer; without it only notes can be written.
 */
export function Composer({ chat, history, attachments, quote, onQuote, onTemplate, write }) {
  const [mode, setMode] = useState(/** @type {"reply" | "note" | "whisper"} */ ("reply"));
  // Grows each time the field is to get the focus.
  const [calls, setCalls] = useState(0);
  const [at, setAt] = useState(0);
  const [busy, setBusy] = useState(false);
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const typed = useRef(0);
  const list = useId();
  // Only a viewer who may not answer whispers: the mode ends when the viewer takes the chat.
  const kind = write ? (mode === "note" ? "note" : "reply") : mode === "whisper" ? "whisper" : "note";
  const note = kind !== "reply";
  // Answers, notes and whispers have drafts of their own, so that none is sent as another.
  const place = note ? `${kind} ${chat.id}` : chat.id;
  const text = draftOf(place);
  const left = windowOf(chat, history.lastIncoming.value);
  const closed = !note && left === 0;
  const templates = chat.channel === "WHATSAPP";
  const setText = (/** @type {string} */ value) => keepDraft(place, value);
  const replace = (/** @type {string} */ word, /** @type {string} */ by) => {
    setText(text.slice(0, text.length - word.length) + by);
    field.current?.focus();
  };
  const { suggestions, awaited } = useSuggestions({ text, note, chat: chat.id, replace });
  useEffect(() => setAt(0), [suggestions.map((one) => one.key).join()]);
  // If Enter comes before the reply of a shortcut is loaded, the shortcut is not sent to the customer.
  const entered = useRef("");
  useEffect(() => {
    if (awaited || !entered.current) return;
    const isSame = entered.current === text;
    entered.current = "";
    if (!isSame) return;
    if (suggestions.length) suggestions[0].choose();
    else void submit();
  }, [awaited, text]);
  useLayoutEffect(() => {
    if (quote) field.current?.focus();
  }, [quote]);
  const input = (/** @type {any} */ event) => {
    setText(event.currentTarget.value);
    if (note) return;
    writeIn();
    if (Date.now() - typed.current > TYPING_MS) {
      typed.current = Date.now();
      api.post("/chat-service/api/v2/messages/typing", undefined, { query: { participantId: chat.id } }).catch(() => {});
    }
  };
  const submit = async () => {
    if (busy || attachments.busy) return;
    endWriting();
    const written = text.trim();
    if (note) {
      if (!written) return;
      setBusy(true);
      try {
        await writeNote(chat.id, written, kind === "whisper");
        if (draftOf(place) === text) keepDraft(place, "");
      } catch (error) {
        reportFault(error);
      }
      setBusy(false);
      return;
    }
    const files = attachments.takeReady();
    if (!written && !files.length) return;
    keepDraft(chat.id, "");
    onQuote(null);
    // A single file carries the text; otherwise the text comes first.
    const single = files.length === 1;
    const sent = [];
    if (written && !single) sent.push({ text: written, quote: quote ?? undefined });
    for (const file of files) sent.push({ mediaUrl: file.mediaUrl, contentType: file.mediaType, text: single ? written : undefined, quote: single ? (quote ?? undefined) : undefined });
    for (const one of sent) history.send({ channel: chat.channel, ...one }).catch(() => {});
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (suggestions.length && ["ArrowDown", "ArrowUp", "Enter", "Tab"].includes(event.key)) {
      event.preventDefault();
      if (event.key === "ArrowDown") setAt((at + 1) % suggestions.length);
      else if (event.key === "ArrowUp") setAt((at - 1 + suggestions.length) % suggestions.length);
      else suggestions[Math.min(at, suggestions.length - 1)].choose();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (awaited) entered.current = text;
      else void submit();
    } else if (event.key === "Escape") {
      if (quote) onQuote(null);
      else field.current?.blur();
    }
  };
  const paste = (/** @type {ClipboardEvent} */ event) => {
    const files = event.clipboardData?.files;
    if (note || !files?.length) return;
    event.preventDefault();
    attachments.add(files);
  };
  // A quote belongs to a reply.
  useEffect(() => {
    if (quote) setMode("reply");
  }, [quote]);
  useLayoutEffect(() => {
    if (calls) field.current?.focus();
  }, [calls]);
  const begin = (/** @type {"reply" | "note"} */ next) => {
    setMode(next);
    setCalls((before) => before + 1);
  };
  const group = t("inbox.thisChat");
  useShortcuts([
    ...(write ? [{ keys: "r", text: t("inbox.writeReply"), group, run: () => begin("reply") }] : []),
    ...(notes.value ? [{ keys: "n", text: t("inbox.writeNote"), group, run: () => begin("note") }] : []),
  ]);
  return html`<div class=${`composer ${note ? "note" : ""}`}>
    <${Modes} mode=${kind} setMode=${setMode} write=${write} chat=${chat} left=${left} />
    ${quote && !note && html`<div class="composer-quote"><${Icon} name="quote" size="small" /><span class="grow clip">${summary(quote)}</span><${Button} kind="quiet small" icon="close" label=${t("inbox.noQuote")} onClick=${() => onQuote(null)} /></div>`}
    ${!note && html`<${AttachmentList} attachments=${attachments} />`}
    ${closed ? html`<div class="window-closed"><${Icon} name="lock" /><span class="grow">${t(templates ? "inbox.windowClosed" : "inbox.windowClosedMessenger")}</span>${templates && html`<${Button} kind="primary" icon="template" onClick=${onTemplate}>${t("inbox.sendTemplate")}<//>`}</div>` : html`
    <div class="composer-field"><${SuggestionList} id=${list} suggestions=${suggestions} at=${at} />
      <textarea ref=${field} id="composer" rows="2" value=${text} aria-label=${note ? t("inbox.writeNote") : t("inbox.writeReply")} placeholder=${note ? t("inbox.notePlaceholder") : t("inbox.replyPlaceholder")}
        aria-controls=${suggestions.length ? list : undefined} aria-activedescendant=${suggestions.length ? `${list}-${at}` : undefined} dir="auto"
        onInput=${input} onKeyDown=${key} onPaste=${paste}></textarea></div>
    <div class="composer-foot">
      ${!note && html`<${FileButton} attachments=${attachments} />`}
      ${!note && templates && html`<${Button} kind="quiet small" icon="template" label=${t("inbox.sendTemplate")} onClick=${onTemplate} />`}
      <span class="grow tiny soft clip composer-hint">${t("inbox.sendHint")}</span>
      <${Button} kind=${note ? "small" : "primary small"} icon=${note ? "note" : "send"} busy=${busy} disabled=${attachments.busy} onClick=${submit}>${note ? t("inbox.addNote") : t("inbox.send")}<//>
    </div>`}
  </div>`;
}

/** @param {{mode: string, setMode: (mode: any) => void, write: boolean, chat: Chat, left: "none" | number | undefined}} props */
function Modes({ mode, setMode, write, chat, left }) {
  const modes = [...(write ? ["reply"] : []), ...(notes.value ? ["note"] : []), ...(notes.value && chat.assignedTo && hasRole("ADMIN", "SUPERVISOR") && !write ? ["whisper"] : [])];
  const open = typeof left === "number" && left > 0;
  if (modes.length < 2 && !open) return null;
  return html`<div class="composer-modes">${modes.length > 1 && modes.map((one) => html`<button key=${one} type="button" aria-pressed=${String(mode === one)} onClick=${() => setMode(one)}>${t(`inbox.mode.${one}`)}</button>`)}
    <span class="grow"></span>${write && open && html`<span class=${`tiny window-left ${left < 3_600_000 ? "soon" : "soft"}`} title=${t("inbox.windowTip")}><${Icon} name="clock" size="small" />${t("inbox.windowOpen", { time: duration(/** @type {number} */ (left)) })}</span>`}</div>`;
}

/** @param {{attachments: Attachments}} props */
function FileButton({ attachments }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const choose = () => input.current?.click();
  useShortcuts([{ keys: "u", text: t("inbox.attach"), group: t("inbox.thisChat"), run: choose }]);
  const add = () => {
    attachments.add([...(input.current?.files ?? [])]);
    if (input.current) input.current.value = "";
  };
  return html`<${Button} kind="quiet small" icon="paperclip" label=${t("inbox.attach")} onClick=${choose} />
    <input ref=${input} type="file" multiple hidden tabindex="-1" aria-hidden="true" onChange=${add} />`;
}
