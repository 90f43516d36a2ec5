// The messages of a chat, oldest first. It follows the newest message as long as the person looks at the end.
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Bubble } from "./bubble.js";

/**
 * @typedef {import("./channels/channel.js").Channel} Channel
 * @typedef {import("./channels/channel.js").Act} Act
 * @typedef {import("./channels/model.js").Message} Message
 * @typedef {(message: Message) => void} OnMessage
 */

/** @param {number} time */
const dayOf = (time) => new Date(time).toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });

/** @param {{channel: Channel, barred: string|null, onHint: (text: string) => void}} props */
function Empty({ channel, barred, onHint }) {
  return html`<div class="empty">
    <p>${channel.empty || "Nothing here yet. Say something to the business:"}</p>
    ${barred || !channel.hints.length ? null : html`<div class="hints">
      ${channel.hints.map((hint) => html`<button key=${hint} onClick=${() => onHint(hint)}>${hint}</button>`)}
    </div>`}
  </div>`;
}

/** Messages that are not read, or that the phone has not taken yet. @param {{channel: Channel, messages: Message[], act: Act}} props */
function Waiting({ channel, messages, act }) {
  const { deliver, read } = channel;
  const undelivered = messages.filter((one) => one.state === "waiting").length;
  const unread = messages.filter((one) => one.unread).length - undelivered;
  if (undelivered > 0 && deliver) {
    return html`<button class="pill" onClick=${() => act(deliver)}>Deliver ${undelivered}</button>`;
  }
  if (unread > 0 && read) {
    return html`<button class="pill" onClick=${() => act(read)}>Mark ${unread} as read</button>`;
  }
  return null;
}

/**
 * @param {{channel: Channel, state: import("./channels/channel.js").ChannelState, act: Act, onList: OnMessage, onReply: OnMessage, onEdit: OnMessage,
 *   onHint: (text: string) => void}} props
 */
export function Thread({ channel, state, act, onList, onReply, onEdit, onHint }) {
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const atEnd = useRef(true);
  const { messages } = state;
  const newest = messages.at(-1);
  const top = useRef(0);

  // Pictures change the height after they are loaded.
  const stay = () => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  };

  useLayoutEffect(() => {
    if (newest?.own) atEnd.current = true;
    stay();
  }, [newest?.id, messages.length, state.typing]);

  // A phone becomes narrower when the panel opens.
  useEffect(() => {
    const follow = new ResizeObserver(stay);
    if (box.current) follow.observe(box.current);
    return () => follow.disconnect();
  }, []);

  const scrolled = (/** @type {EventOf<HTMLElement>} */ event) => {
    const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
    // Only a person scrolls up. Further down the end moves away when a picture is loaded.
    if (scrollHeight - scrollTop - clientHeight < 60) atEnd.current = true;
    else if (scrollTop < top.current) atEnd.current = false;
    top.current = scrollTop;
  };

  const rows = messages.flatMap((message, index) => {
    const day = dayOf(message.time);
    const before = messages[index - 1];
    const begins = !before || dayOf(before.time) !== day;
    const follows = !begins && before.own === message.own;
    const bubble = html`<${Bubble} key=${message.id} message=${message} follows=${follows} last=${index === messages.length - 1} channel=${channel}
      state=${state} act=${act} onList=${onList} onReply=${onReply} onEdit=${onEdit} />`;
    return begins ? [html`<li class="day" key=${`day ${day}`}><span>${day}</span></li>`, bubble] : [bubble];
  });

  return html`<div class="thread" role="log" aria-label=${`Messages on ${channel.title}`} tabindex="0" ref=${box} onScroll=${scrolled} onLoadCapture=${stay}>
    ${messages.length === 0
      ? html`<${Empty} channel=${channel} barred=${state.barred} onHint=${onHint} />`
      : html`<ol>${rows}
          ${state.typing && html`<li class="row theirs" key="typing"><span class="bubble typing"><i></i><i></i><i></i><span class="unseen">The business is typing</span></span></li>`}
        </ol>`}
    <${Waiting} channel=${channel} messages=${messages} act=${act} />
  </div>`;
}
