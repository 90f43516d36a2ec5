// The history of a chat on the screen: it scrolls without end, keeps its place, and follows new messages at its end.
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { dayName } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { Fault, SkeletonList } from "#ui/states.js";
import { typing } from "./chats.js";
import { MessageRow } from "./message.js";
import { NoteRow } from "./notes.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Note} Note */
/** @typedef {import("./history.js").History} History */
/** @typedef {import("./history.js").Block} Block */

/** An element and its place on the screen. @typedef {{element: Element, top: number}} Anchor */

const NEAR_END = 120;
const JOINED_MS = 5 * 60_000;

/** @param {{history: History, notes: Note[], write: boolean, onQuote: (message: Message) => void}} props */
export function Thread({ history, notes, write, onQuote }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const top = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  const anchor = useRef(/** @type {Anchor | null} */ (null));
  const [behind, setBehind] = useState(false);
  const { first, whole, error, busy } = history.state.value;
  const blocks = history.blocks.value;
  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(() => {
    atEnd.current = true;
    toEnd();
  }, [history, first, history.sent.value]);
  useEffect(() => {
    const inside = box.current?.firstElementChild;
    if (!inside) return undefined;
    // Older messages, new messages and pictures change the height. A viewer at the end stays there, others keep their place.
    const observer = new ResizeObserver(() => {
      if (atEnd.current) return toEnd();
      setBehind(true);
      if (box.current && anchor.current?.element.isConnected) box.current.scrollTop += anchor.current.element.getBoundingClientRect().top - anchor.current.top;
    });
    observer.observe(inside);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [first]);
  useEffect(() => {
    if (!top.current || whole) return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((one) => one.isIntersecting)) history.older();
      },
      { root: box.current, rootMargin: "600px 0px 0px" },
    );
    observer.observe(top.current);
    return () => observer.disconnect();
  }, [history, first, whole, blocks[0]?.key]);
  const scrolled = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
    if (atEnd.current) setBehind(false);
    anchor.current = atEnd.current || !box.current ? null : anchorOf(box.current);
  };
  return html`<div class="thread-frame"><div class="thread scroll" ref=${box} onScroll=${scrolled} tabindex="0" role="log" aria-label=${t("inbox.history")} aria-live="polite">
    <div class="thread-inside">
      ${!whole && !first && html`<div ref=${top} class="thread-top">${busy && html`<span class="tiny soft" aria-hidden="true">${t("common.loading")}</span>`}</div>`}
      ${first && busy && html`<${SkeletonList} rows=${6} />`}
      ${error && html`<${Fault} error=${error} retry=${() => (first ? history.open() : history.older())} />`}
      ${blocks.map((block, index) => html`<${BlockView} key=${block.key} block=${block} before=${blocks[index - 1]} after=${blocks[index + 1]} history=${history} notes=${notes} write=${write} onQuote=${onQuote} />`)}
      <${Typing} chat=${history.chat} />
    </div></div>
    ${behind && html`<${Button} kind="small" class="to-end" icon="arrowDown" onClick=${toEnd}>${t("inbox.toEnd")}<//>`}
  </div>`;
}

/** The first message in sight. Lines between days move when older messages come. @param {HTMLElement} box @returns {Anchor | null} */
function anchorOf(box) {
  const { top, bottom } = box.getBoundingClientRect();
  for (const block of box.querySelectorAll(".block")) {
    if (block.getBoundingClientRect().bottom <= top) continue;
    for (const element of block.querySelectorAll(".message")) {
      const place = element.getBoundingClientRect();
      if (place.bottom > top) return place.top < bottom ? { element, top: place.top } : null;
    }
  }
  return null;
}

/** @param {{chat: string}} props */
function Typing({ chat }) {
  if (!(chat in typing.value)) return null;
  return html`<div class="message in"><div class="bubble typing" role="status"><i></i><i></i><i></i><span class="hidden-text">${t("inbox.isTyping")}</span></div></div>`;
}

/** @param {{block: Block, before?: Block, after?: Block, history: History, notes: Note[], write: boolean, onQuote: (message: Message) => void}} props */
function BlockView({ block, before, after, history, notes, write, onQuote }) {
  const messages = block.messages.value;
  const from = before ? (messages[0]?.createdTime ?? "") : "";
  const until = after?.messages.value[0]?.createdTime ?? "9999";
  const inside = notes.filter((note) => note.createdTime >= from && note.createdTime < until);
  const rows = [];
  let previous = before?.messages.peek().at(-1);
  let next = 0;
  const add = (/** @type {string} */ limit) => {
    for (; next < inside.length && inside[next].createdTime < limit; next += 1) {
      rows.push(html`<${NoteRow} key=${inside[next].id} note=${inside[next]} />`);
      previous = undefined;
    }
  };
  let day = previous ? dayName(previous.createdTime) : "";
  for (const message of messages) {
    add(message.createdTime);
    const now = dayName(message.createdTime);
    if (now !== day) {
      rows.push(html`<li key=${`day-${message.createdTime}`} class="day"><span>${now}</span></li>`);
      previous = undefined;
    }
    day = now;
    rows.push(html`<${MessageRow} key=${message.tempId ?? message.id} message=${message} history=${history} joined=${joins(previous, message)} write=${write} onQuote=${onQuote} />`);
    previous = message;
  }
  add("9999");
  return html`<ol class=${`block ${after ? "settled" : ""}`}>${rows}</ol>`;
}

/** @param {Message | undefined} previous @param {Message} message */
function joins(previous, message) {
  if (!previous || previous.direction !== message.direction || previous.messageOwner !== message.messageOwner) return false;
  return new Date(message.createdTime).getTime() - new Date(previous.createdTime).getTime() < JOINED_MS;
}
