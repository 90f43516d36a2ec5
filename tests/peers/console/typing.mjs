// A visitor of a site, the agent and a supervisor see each other write. Drafts stay with their chats, and a closed chat is opened again.
import { Widget } from "../browser/stage.mjs";
import { Inbox, api, browser, check, complaints, eventually, focused, given, logIn, phone, press, visit } from "./stage.mjs";

const chromium = await browser();
const lead = await logIn(await chromium.newContext(), "/inbox/unassigned");
const site = await api("POST", "/messaging-service/web/sites", { name: "Shop", origins: [new URL(given.phones).origin] });
const known = { siteKey: site.siteKey, name: "Shop", script: `${given.base}/web-chat/widget.js?site=${site.siteKey}` };
const told = await fetch(`${given.phones}/simulator/sites`, { method: "POST", body: JSON.stringify(known) });
check(told.ok, `the simulator takes no site: ${told.status}`);
const visitor = await new Widget(await visit(await chromium.newContext(), `${given.phones}/web?site=${site.siteKey}`)).open();
const agent = await logIn(await chromium.newContext(), "/inbox/all", given.agent);
const [first, second] = [new Inbox(lead), new Inbox(agent)];
// No key: the widget says at most every three seconds that its visitor types, and it must say so at the first key below.
await visitor.field.evaluate((one) => (one.value = "hello from the site"));
await visitor.field.press("Enter");
const rowOf = (channel) => second.list.getByRole("link").filter({ has: agent.getByTitle(channel, { exact: true }) });
const [web, whatsApp] = [rowOf("Web chat"), rowOf("WhatsApp")];
await web.getByText("hello from the site", { exact: true }).waitFor();
check((await web.getByTitle("Web chat", { exact: true }).textContent()) === "Web", "the mark of the channel");
await web.click();
await second.sees("hello from the site");

// Looks for what is shown for seconds only, from before the keys.
const whileTyping = (field, text, ...shown) => Promise.all([...shown.map((one) => one.waitFor()), press(field, ...text)]);

// The visitor types: the list and the thread say so until the message is there.
await visitor.field.focus();
await whileTyping(visitor.field, "I", web.getByText("is typing", { exact: true }), second.log.getByRole("status").getByText("is typing"));
await press(visitor.field, ..." have a question", "Enter");
await second.sees("I have a question");
await eventually("the end of typing", async () => (await agent.getByText("is typing", { exact: true }).count()) === 0);
await web.getByText("I have a question", { exact: true }).waitFor();

// The agent types: the visitor and the supervisor see it, until the answer is sent.
await agent.getByRole("button", { name: "Take this chat" }).click();
await focused(second.field);
await lead.goto(`${given.base}/console/inbox/all`);
await first.row("I have a question").click();
await lead.getByText("AGENT also looks at this chat.").waitFor();
const writes = lead.getByText("AGENT is writing here.");
await whileTyping(second.field, "Yes", visitor.dialog.getByText("AGENT is typing"), writes);
await press(second.field, "Enter");
await visitor.sees("Yes");
await lead.getByText("AGENT also looks at this chat.").waitFor();
check((await writes.count()) === 0, "the agent writes after the answer");
// A pause is no writing either.
await whileTyping(second.field, "We ", writes);
await lead.getByText("AGENT also looks at this chat.").waitFor();

// A draft in each of two chats: the rows say so, and each field has its own.
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "hello from the phone" });
const draft = (of) => of.locator(".chat-last").filter({ hasText: "Draft:" });
const holds = (text) => eventually(`the draft "${text}"`, async () => (await second.field.inputValue()) === text);
await draft(web).filter({ hasText: "We" }).waitFor();
await whatsApp.click();
await second.sees("hello from the phone");
await agent.getByRole("button", { name: "Take this chat" }).click();
await focused(second.field);
await holds("");
await press(second.field, ..."On the phone");
await draft(whatsApp).filter({ hasText: "On the phone" }).waitFor();
await web.click();
await second.sees("hello from the site");
await holds("We ");
await whatsApp.click();
await second.sees("hello from the phone");
await holds("On the phone");
await second.field.focus();
await press(second.field, "End", ..." we help", "Enter");
await eventually("the answer on the phone", async () => (await phone("GET", `${given.phone}/inbox`)).messages.some((one) => one.text === "On the phone we help"));
await whatsApp.locator(".chat-last").filter({ hasText: "On the phone we help" }).waitFor();
await eventually("one draft", async () => (await draft(whatsApp).count()) === 0 && (await draft(web).count()) === 1);

// Closed, and opened again by a click: the answer is next, in another ticket.
const open = agent.getByRole("region", { name: /^Chat with/ });
await open.getByRole("button", { name: "Resolve" }).click();
await open.getByText("This chat is closed.").waitFor();
await whatsApp.getByText("Closed", { exact: true }).waitFor();
// The report of the move has such a button, too.
await open.getByRole("button", { name: "Reopen" }).click();
await focused(second.field);
await whatsApp.getByText("You", { exact: true }).waitFor();
const tickets = agent.getByRole("complementary", { name: "Customer" }).locator("section").filter({ has: agent.getByRole("heading", { name: "Tickets", exact: true }) });
await eventually("a ticket of its own", async () => (await tickets.getByRole("listitem").count()) === 2);
await press(second.field, ..."One more thing", "Enter");
await second.sees("One more thing");
for (const page of [lead, agent]) check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
