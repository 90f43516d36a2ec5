// The steps of the bot next to a chat: its last talk with the customer, without the text that a team sends after hours.
import { deepStrictEqual } from "node:assert";
import { join } from "node:path";

const top = new URL("../../../console/", import.meta.url).pathname;
const { stepsOf } = await import(join(top, "inbox/bot-talk.js"));

const CLOSED = "We open at eight.";
const write = (owner, text) => ({ direction: owner === "CUSTOMER" ? "INCOMING" : "OUTGOING", messageOwner: owner, text });
const steps = (messages) => stepsOf(messages).map((one) => one.text);

const [question, menu, choice] = [write("CUSTOMER", "hi"), write("BOT", "1 or 2?"), write("CUSTOMER", "2")];
const [closed, again, agent] = [{ ...write("BOT", CLOSED), afterHours: true }, write("CUSTOMER", "nobody?"), write("Thandi", "Here I am.")];
deepStrictEqual(steps([question, menu, choice, again, agent]), ["hi", "1 or 2?", "2"]);
deepStrictEqual(steps([question, menu, choice, closed, again, agent]), ["hi", "1 or 2?", "2"]);
deepStrictEqual(steps([question, menu, choice, agent, closed]), ["hi", "1 or 2?", "2"]);
deepStrictEqual(steps([question, closed, again]), []);
// The same text of the bot is a step, and so is that of a customer.
deepStrictEqual(steps([question, write("BOT", CLOSED)]), ["hi", CLOSED]);
deepStrictEqual(steps([write("CUSTOMER", CLOSED), menu]), [CLOSED, "1 or 2?"]);
// A message without a text, such as a picture, is a step.
deepStrictEqual(steps([question, write("BOT", undefined)]), ["hi", undefined]);
// The newest ten.
deepStrictEqual(steps(Array.from({ length: 12 }, (_, index) => write("BOT", `${index}`))), Array.from({ length: 10 }, (_, index) => `${index + 2}`));
