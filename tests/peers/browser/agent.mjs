// An agent by API, two visitors and a bot: the hand-over, words both ways, typing, a cut connection, a file, receipts of reading, the
// end of the chat with its rating, and nothing of it in the other visitor's chat. Nothing of it gives the judge something to find.
import { Widget, browser, check, eventually, findings, given, visit } from "./stage.mjs";

async function call(method, path, body, key = given.agentKey) {
  const headers = { authorization: key, "content-type": "application/json" };
  const answer = await fetch(given.base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  check(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}
const chats = "/chat-service/api/v2/chats";
const messages = "/chat-service/api/v2/messages";
const history = (chat) => call("GET", `${messages}?participantId=${chat}`);

await call("PUT", "/api/v1/clients/me", { ratingWidget: true }, given.apiKey);
const chromium = await browser();
// The judge needs more than the page's policy allows; the other stories keep to it.
const at = await chromium.newContext({ bypassCSP: true });
const ann = await new Widget(await visit(at, given.page)).open();
const elsewhere = await chromium.newContext();
const ben = await new Widget(await visit(elsewhere, given.page)).open();

// Both speak to the bot and ask for a person.
for (const [visitor, name] of [[ann, "Ann"], [ben, "Ben"]]) {
  await visitor.write(`say I am ${name}`);
  await visitor.sees(`I am ${name}`);
  await visitor.write("person");
  await visitor.sees("one moment");
  await visitor.says("We are connecting you");
}
const waiting = (await call("GET", `${chats}?scope=unassigned`)).content.map((chat) => chat.id);
check(waiting.length === 2, `${waiting.length} chats wait`);
let chat = null;
for (const id of waiting) if ((await history(id)).some((one) => one.text === "say I am Ann")) chat = id;
check(chat, "Ann's chat waits");

// The agent takes it, and both write.
const taken = await call("POST", `${chats}/${chat}/assign`);
await ann.says(`You are talking with ${taken.assignedTo.name}`);
await ben.says("We are connecting you");
await call("POST", `${messages}/typing?participantId=${chat}`);
await eventually("the agent to type", async () =>
  (await ann.dialog.locator(".typing").textContent()).includes(`${taken.assignedTo.name} is typing`));
const say = (text, more) => call("POST", messages, { participantId: chat, channel: "WEB", text, ...more });
const markup = 'Hello <b onclick="alert(1)">Ann</b><script>alert(1)</script>';
await say(markup);
await ann.sees(markup);
check((await ann.log.locator("ol b, ol script").count()) === 0, "text became elements");
const asked = (await history(chat)).find((one) => one.text === "say I am Ann");
await say("Good day, Ann.", { quotedExternalMessageId: asked.id });
await ann.sees("Good day, Ann.");
check((await ann.log.locator("ol blockquote").allTextContents()).join("|") === "say I am Ann", "the quoted message is not shown");
await ann.write("my order is late");
await eventually("the answer at the agent's", async () => (await history(chat)).some((one) => one.text === "my order is late"));
const badge = async () => (await call("GET", `${chats}/${chat}`)).unreadCount;
check((await badge()) > 0, "nothing is unread");
await call("POST", `${messages}/read?participantId=${chat}`);
check((await badge()) === 0, "something is unread");
await eventually("the receipt of reading to be shown", async () => (await ann.log.textContent()).includes("Seen"));

// A cut connection: messages of the agent in that time are there once, in order.
await at.setOffline(true);
await ann.says("No connection");
await ann.write("are you there?");
for (const words of ["Yes, I am.", "It comes tomorrow."]) await say(words, { tempId: words });
await at.setOffline(false);
await ann.sees("It comes tomorrow.");
await ann.sees("Yes, I am.");
await ann.sees("are you there?");
const shown = await ann.texts();
check(shown.indexOf("Yes, I am.") < shown.indexOf("It comes tomorrow."), `out of order: ${shown.join(" | ")}`);

// A file, and what the visitor has seen.
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const form = new FormData();
form.append("file", new Blob([png], { type: "image/png" }), "dot.png");
const upload = await fetch(`${given.base}${messages}/media`, { method: "POST", headers: { authorization: given.agentKey }, body: form });
check(upload.ok, `the upload: ${upload.status}`);
await say("The label", { mediaUrl: (await upload.json()).mediaUrl });
await ann.sees("The label");
await eventually("the picture", async () => {
  const picture = ann.log.locator("ol img");
  return (await picture.count()) === 1 && (await picture.evaluate((one) => one.naturalWidth)) === 1;
});
await eventually("all to be read", async () =>
  (await history(chat)).filter((one) => one.messageOwner === taken.assignedTo.name).every((one) => one.status === "READ"));
const found = await findings(ann.page);
check(found.length === 0, found.join("\n"));

// The end, with its rating.
await call("POST", `${chats}/${chat}/terminate`);
await ann.says("This conversation has ended");
await ann.log.getByRole("group", { name: "How was our service?" }).getByRole("button", { name: "Average" }).click();
await ann.sees("Average");
const tickets = `/chat-service/ticket/by-ticket-number?ticketNumber=1`;
await eventually("the rating on the ticket", async () => (await call("GET", tickets)).rating === "average");

// Nothing of it is Ben's.
const others = await ben.texts();
check(others.join("|") === ["say I am Ben", "I am Ben", "person", "one moment"].join("|"), `Ben sees ${others.join(" | ")}`);
await ben.says("We are connecting you");
for (const page of [ann.page, ben.page]) check(page.complaints.length === 0, page.complaints.join("\n"));
await chromium.close();
console.log("ok");
