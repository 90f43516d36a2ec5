// One message: its bubble with quote, content, time and ticks, its buttons, its reactions, and the menu to react and to reply.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { summary } from "./channels/model.js";
import { Cards, Choices, MediaView, PeopleView, PlaceView } from "./content.js";
import { Icon, Ticks } from "./icons.js";

const EMOJIS = ["👍", "❤️", "😂", "😮", "😢", "🙏"];

/**
 * @typedef {import("./channels/channel.js").Channel} Channel
 * @typedef {import("./channels/channel.js").ChannelState} ChannelState
 * @typedef {import("./channels/channel.js").Act} Act
 * @typedef {import("./channels/model.js").Message} Message
 * @typedef {(message: Message) => void} OnMessage
 * @typedef {{message: Message, channel: Channel, state: ChannelState, act: Act, onReply: OnMessage, onEdit: OnMessage}} MessageProps
 */

/** @param {number} time */
const clock = (time) => new Date(time).toLocaleTimeString([], { timeStyle: "short" });

/** @param {{message: Message, messages: Message[]}} props */
function Quote({ message, messages }) {
  if (!message.quote) return null;
  const quoted = messages.find((one) => one.id === message.quote);
  const words = quoted ? summary(quoted) : message.quoted || "An earlier message";
  return html`<blockquote><b>${quoted?.own ? "You" : "Business"}</b>${words}</blockquote>`;
}

/** @param {Pick<Message, "reactions">} props */
function Reactions({ reactions }) {
  const shown = [reactions?.theirs, reactions?.own].filter(Boolean);
  if (!shown.length) return null;
  return html`<span class="reactions"><span class="unseen">Reactions: </span>${shown.join(" ")}</span>`;
}

/** @param {MessageProps & {onClose: () => void}} props */
function Menu({ message, channel, state, act, onReply, onEdit, onClose }) {
  const own = message.reactions?.own;
  /** @param {string} emoji */
  const react = (emoji) => {
    onClose();
    act(() => channel.react?.(message, emoji === own ? null : emoji, state.peer));
  };
  return html`<div class="actions" onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && onClose()}>
    ${EMOJIS.map((emoji) => html`<button key=${emoji} aria-label=${`React with ${emoji}`} aria-pressed=${emoji === own} onClick=${() => react(emoji)}>${emoji}</button>`)}
    <button class="wide" onClick=${() => { onClose(); onReply(message); }}><${Icon} name="reply" />Reply</button>
    ${message.canEdit && html`<button class="wide" onClick=${() => { onClose(); onEdit(message); }}>Edit</button>`}
  </div>`;
}

/** @param {{message: Message}} props */
function Meta({ message }) {
  const notes = message.state === "waiting" ? [...(message.notes || []), "waits for the phone"] : message.notes || [];
  return html`<span class="meta">${notes.length ? html`<span>${notes.join(" · ")}</span>` : null}
    <time datetime=${new Date(message.time).toISOString()}>${clock(message.time)}</time>
    ${message.own && html`<${Ticks} state=${message.state} />`}</span>`;
}

/** True if the message needs no bubble: a picture of its own shape, or cards alone. @param {Message} message */
const isBare = (message) => message.media?.kind === "sticker" || message.big
  || (message.cards?.length && !message.text && !message.header && !message.media);

/** @param {MessageProps & {follows: boolean, last: boolean, onList: OnMessage}} props */
export function Bubble({ message, follows, last, channel, state, act, onList, onReply, onEdit }) {
  const [open, setOpen] = useState(false);
  const played = channel.play && !message.own ? () => act(() => channel.play?.(message)) : null;
  const side = message.own ? "mine" : "theirs";
  const classes = ["bubble", isBare(message) && "bare", follows && "follows"].filter(Boolean).join(" ");
  return html`<li class=${`row ${side} ${message.cards?.length ? "broad" : ""}`}>
    <div class="line">
      <div class=${classes}>
        <span class="unseen">${message.own ? "You: " : "Business: "}</span>
        <${Quote} message=${message} messages=${state.messages} />
        ${message.media && html`<${MediaView} media=${message.media} onPlay=${played} />`}
        ${message.place && html`<${PlaceView} place=${message.place} />`}
        ${message.people?.length ? html`<${PeopleView} people=${message.people} />` : null}
        ${message.header && html`<strong class="header" dir="auto">${message.header}</strong>`}
        ${message.text && html`<p dir="auto" class=${message.big ? "big" : ""}>${message.text}</p>`}
        ${message.footer && html`<small class="footer" dir="auto">${message.footer}</small>`}
        <${Meta} message=${message} />
        <${Reactions} reactions=${message.reactions} />
      </div>
      ${channel.reacts && html`<button class="more" aria-label=${`React or reply to: ${summary(message)}`} aria-expanded=${open} onClick=${() => setOpen(!open)}><${Icon} name="smile" /></button>`}
    </div>
    ${open && html`<${Menu} message=${message} channel=${channel} state=${state} act=${act} onReply=${onReply} onEdit=${onEdit} onClose=${() => setOpen(false)} />`}
    ${message.choices?.length ? html`<${Choices} choices=${message.choices} act=${act} />` : null}
    ${message.list && html`<div class="choices"><button onClick=${() => onList(message)}><${Icon} name="menu" />${message.list.button}</button></div>`}
    ${message.cards?.length ? html`<${Cards} cards=${message.cards} label=${summary(message)} act=${act} />` : null}
    ${last && message.chips?.length ? html`<div class="chips">${message.chips.map((chip) => html`<button key=${chip.id} onClick=${() => act(chip.tap)}>${chip.title}</button>`)}</div>` : null}
  </li>`;
}
