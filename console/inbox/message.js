// One message of the history with its ticks, reactions, actions, and the reason if it failed.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { clockTime, fullTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Menu } from "#ui/menu.js";
import { reportFault } from "#ui/toast.js";
import { describe, oneLine } from "#app/faults.js";
import { copy } from "../developers/parts.js";
import { Content } from "./content.js";
import { namesOf } from "./history.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./history.js").History} History */

const EMOJIS = ["👍", "❤️", "😂", "😮", "😢", "🙏"];
const REACTING = new Set(["WHATSAPP", "FACEBOOK", "TELEGRAM"]);
/** @type {Record<string, [string, string]>} */
const TICKS = {
  QUEUED: ["clock", ""], ACCEPTED: ["clock", ""], SENT: ["check", ""], DELIVERED: ["checks", ""], READ: ["checks", "read"], PLAYED: ["checks", "read"], FAILED: ["alert", "failed"],
};

/**
 * @param {{message: Message, history: History, joined: boolean, write: boolean, onQuote: (message: Message) => void}} props
 * `joined`: it follows a message of the same author and shows no name.
 */
export function MessageRow({ message, history, joined, write, onQuote }) {
  const out = message.direction === "OUTGOING";
  const bot = message.messageOwner === "BOT";
  const side = out ? (bot ? "out bot" : "out") : "in";
  const quoted = message.quotedText ?? (message.quotedMessageId && history.find(message.quotedMessageId)?.text);
  return html`<li class=${`message ${side} ${joined ? "joined" : ""} ${message.pending ? "pending" : ""}`} id=${`m-${message.id}`}>
    <div class="bubble">
      ${out && !joined && message.messageOwner && html`<span class="author">${bot ? html`<${Icon} name="bot" size="small" />${t("inbox.bot")}` : message.messageOwner}</span>`}
      ${(quoted || message.quotedMessageId) && html`<button type="button" class="quote" onClick=${() => reveal(message.quotedMessageId)}>${quoted || t("inbox.quotedMessage")}</button>`}
      <${Content} message=${message} />
      <span class="stamp">${message.edited && html`<span>${t("inbox.edited")}</span>`}<time datetime=${message.createdTime} title=${fullTime(message.createdTime)}>${clockTime(message.createdTime)}</time>${out && html`<${Ticks} message=${message} />`}</span>
      <${Reactions} message=${message} history=${history} />
    </div>
    ${write && !message.pending && !message.fault && !message.deleted && html`<${MessageActions} message=${message} history=${history} onQuote=${onQuote} />`}
    <${Failure} message=${message} history=${history} write=${write} />
  </li>`;
}

/** Scrolls to a message that is loaded. @param {string | undefined} id */
function reveal(id) {
  const element = id && document.getElementById(`m-${id}`);
  if (!element) return;
  element.scrollIntoView({ block: "center" });
  element.classList.add("revealed");
  setTimeout(() => element.classList.remove("revealed"), 1500);
}

/** @param {{message: Message}} props */
function Ticks({ message }) {
  const status = message.fault ? "FAILED" : message.pending ? "QUEUED" : (message.status ?? "QUEUED");
  const [icon, kind] = TICKS[status] ?? TICKS.QUEUED;
  return html`<span class=${`ticks ${kind}`} role="img" aria-label=${t(`ticks.${status}`)} title=${t(`ticks.${status}`)} data-status=${status}><${Icon} name=${icon} size="small" /></span>`;
}

/** @param {{message: Message, history: History}} props */
function Reactions({ message, history }) {
  const all = history.reactions.value;
  const found = namesOf(message).map((name) => all[name]).find(Boolean);
  const emojis = [found?.customer, found?.business].filter(Boolean);
  if (!emojis.length) return null;
  return html`<span class="reactions" aria-label=${t("inbox.reactions")} role="img">${emojis.join("")}</span>`;
}

/** @param {{message: Message, history: History, onQuote: (message: Message) => void}} props */
function MessageActions({ message, history, onQuote }) {
  const react = (/** @type {string} */ emoji) => history.react(message, emoji).catch(reportFault);
  const own = () => namesOf(message).some((name) => history.reactions.peek()[name]?.business);
  const items = () => [
    { text: t("inbox.quote"), icon: "quote", run: () => onQuote(message) },
    ...(message.text ? [{ text: t("common.copy"), icon: "copy", run: () => void copy(message.text ?? "") }] : []),
    ...(REACTING.has(message.channel) ? [{ title: t("inbox.react") }, ...EMOJIS.map((emoji) => ({ text: emoji, short: true, run: () => void react(emoji) })), ...(own() ? [{ text: t("inbox.removeReaction"), icon: "close", run: () => void react("") }] : [])] : []),
  ];
  return html`<span class="message-actions"><${Menu} label=${t("inbox.messageActions")} kind="quiet small" icon="more" items=${items} /></span>`;
}

/** @param {{message: Message, history: History, write: boolean}} props */
function Failure({ message, history, write }) {
  if (!message.fault && message.status !== "FAILED") return null;
  const { title, cure } = message.fault ? describe(message.fault) : { title: message.errorCodeString ?? t("ticks.FAILED"), cure: message.errorCode ? t("inbox.failureCode", { code: message.errorCode }) : "" };
  const again = () => {
    const { channel, text, mediaUrl, contentType } = message;
    const quote = message.quotedMessageId ? history.find(message.quotedMessageId) : undefined;
    // The answer to the first attempt may be lost: with the same name the message is not sent twice.
    const tempId = message.fault ? message.tempId : undefined;
    if (message.fault) history.drop(message.id);
    history.send({ channel, text, mediaUrl, contentType, quote, tempId }).catch(() => {});
  };
  return html`<div class="failure" role="alert"><span>${oneLine(title, cure)}</span>
    ${write && html`<${Button} kind="small" icon="refresh" onClick=${again}>${t("inbox.sendAgain")}<//>`}</div>`;
}
