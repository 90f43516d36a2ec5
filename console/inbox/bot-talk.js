// The talk of a chatbot with a customer, found in the messages of a chat.

/** @typedef {import("./types.js").Message} Message */

const MOST = 10;

/** @param {Message} message */
export function isOfBot(message) {
  return message.direction === "OUTGOING" && message.messageOwner === "BOT";
}

/**
 * The last talk of the bot with the customer, oldest first. The answer after its last message is that which led to an agent. The text of a
 * team after hours is no step of a bot.
 * @param {Message[]} messages
 * @returns {Message[]}
 */
export function stepsOf(messages) {
  const talk = messages.filter((one) => !one.afterHours);
  const last = talk.findLastIndex(isOfBot);
  if (last < 0) return [];
  let first = last;
  while (first > 0 && (isOfBot(talk[first - 1]) || talk[first - 1].direction === "INCOMING")) first -= 1;
  const end = talk[last + 1]?.direction === "INCOMING" ? last + 2 : last + 1;
  return talk.slice(first, end).slice(-MOST);
}
