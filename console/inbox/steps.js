// The steps of the bot before agents got the chat: its messages and the answers of the customer, in short.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { clockTime, fullTime } from "#app/time.js";
import { Icon } from "#ui/icons.js";
import { historyOf } from "./history.js";
import { summary } from "./words.js";

/** @typedef {import("./types.js").Message} Message */

/** The newest blocks of the history are enough: each new message looks at them again. */
const BLOCKS = 5;
const MOST = 10;

/** @param {Message} message */
function isOfBot(message) {
  return message.direction === "OUTGOING" && message.messageOwner === "BOT";
}

/** The last talk of the bot with the customer, oldest first. The answer after its last message is that which led to an agent. @param {Message[]} messages @returns {Message[]} */
export function stepsOf(messages) {
  const last = messages.findLastIndex(isOfBot);
  if (last < 0) return [];
  let first = last;
  while (first > 0 && (isOfBot(messages[first - 1]) || messages[first - 1].direction === "INCOMING")) first -= 1;
  const end = messages[last + 1]?.direction === "INCOMING" ? last + 2 : last + 1;
  return messages.slice(first, end).slice(-MOST);
}

/** @param {{chat: import("./types.js").Chat}} props */
export function BotSteps({ chat }) {
  const steps = stepsOf(historyOf(chat.id).blocks.value.slice(-BLOCKS).flatMap((block) => block.messages.value));
  if (!steps.length) return null;
  return html`<section><h3>${t("customer.botSteps")}</h3><ol class="plain bot-steps" aria-label=${t("customer.botSteps")}>${steps.map((one) => html`<li key=${one.id} class="row top">
    <${Icon} name=${isOfBot(one) ? "bot" : "contact"} size="small" /><span class="hidden-text">${t(isOfBot(one) ? "inbox.bot" : "customer.title")}: </span>
    <span class="grow step-text" dir="auto">${summary(one)}</span><time class="tiny soft number" datetime=${one.createdTime} title=${fullTime(one.createdTime)}>${clockTime(one.createdTime)}</time></li>`)}</ol></section>`;
}
