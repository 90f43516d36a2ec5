// A visitor of a site, the agent and a supervisor see each other write. Drafts stay with their chats, and a closed chat is opened again.
import { Widget } from "../browser/stage.mjs";
import { Inbox, browser, call, check, complaints, eventually, focused, given, logIn, phone, press, visit } from "./stage.mjs";

const chromium = await browser();
const lead = await logIn(await chromium.newContext(), "/inbox/unassigned");
const site = await call(lead, "POST", "/messaging-service/web/sites", { name: "Shop", origins: [new URL(given.phones).origin] });
const known = { siteKey: site.siteKey, name: "Shop", script: `${given.base}/web-chat/widget.js?site=${site.siteKey}` };
const told = await fetch(`${given.phones}/simulator/sites`, { method: "POST", body: JSON.stringify(known) });
check(told.ok, `the simulator takes no site: ${told.status}`);
const visitor = await new Widget(await visit(await chromium.newContext(), `${given.phones}/web?site=${site.siteKey}`)).open();
const agent = await logIn(await chromium.newContext(), "/inbox/all", given.agent);
const [first, second] = [new Inbox(lead), new Inbox(agent)];
await visitor.write("hello from the site");
await second.row("hello from the site").getByTitle("Web chat", { exact: true }).getByText("Web", { exact: true }).waitFor();
await second.row("hello from the site").click();
await second.sees("hello from the site");
const row = second.list.getByRole("link").first();

// The visitor types: the list and the thread say so until the message is there.
await visitor.field.focus();
await press(visitor.field, "I");
await row.getByText("is typing", { exact: true }).waitFor();
await second.log.getByRole("status").getByText("is typing").waitFor();
await press(visitor.field, ..." have a question", "Enter");
await second.sees("I have a question");
await eventually("the end of typing", async () => (await agent.getByText("is typing", { exact: true }).count()) === 0);
await row.getByText("I have a question", { exact: true }).waitFor();

// The agent types: the visitor and the supervisor see it, until the answer is sent.
await agent.getByRole("button", { name: "Take this chat" }).click();
await focused(second.field);
await lead.goto(`${given.base}/console/inbox/all`);
await first.row("I have a question").click();
await lead.getByText("AGENT also looks at this chat.").waitFor();
await press(second.field, ..."Yes");
await visitor.dialog.getByText("AGENT is typing").waitFor();
await lead.getByText("AGENT is writing here.").waitFor();
await press(second.field, "Enter");
await visitor.sees("Yes");
await lead.getByText("AGENT also looks at this chat.").waitFor();
check((await lead.getByText("AGENT is writing here.").count()) === 0, "the agent writes after the answer");
// A pause is no writing either.
await press(second.field, ..."We ");
await lead.getByText("AGENT is writing here.").waitFor();
await lead.getByText("AGENT also looks at this chat.").waitFor();

// A draft in each of two chats: the rows say so, and each field has its own.
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "hello from the phone" });
await second.row("We").getByText("Draft:", { exact: true }).waitFor();
await second.row("hello from the phone").click();
await second.sees("hello from the phone");
await agent.getByRole("button", { name: "Take this chat" }).click();
await focused(second.field);
check((await second.field.inputValue()) === "", "the draft of another chat is here");
await press(second.field, ..."On the phone");
await second.row("On the phone").getByText("Draft:", { exact: true }).waitFor();
const holds = (text) => eventually(`the draft "${text}"`, async () => (await second.field.inputValue()) === text);
await second.row("We").click();
await second.sees("hello from the site");
await holds("We ");
await second.row("On the phone").click();
await second.sees("hello from the phone");
await holds("On the phone");
await press(second.field, ..." we help", "Enter");
await eventually("the answer on the phone", async () => (await phone("GET", `${given.phone}/inbox`)).messages.some((one) => one.text === "On the phone we help"));
await second.row("On the phone we help").waitFor();
await eventually("one draft", async () => (await second.list.getByText("Draft:", { exact: true }).count()) === 1);
await second.row("We").getByText("Draft:", { exact: true }).waitFor();

// Closed, and opened again by a click: the answer is next, in another ticket.
await agent.getByRole("button", { name: "Resolve" }).click();
await agent.getByText("This chat is closed.").waitFor();
await second.row("On the phone we help").getByText("Closed", { exact: true }).waitFor();
// The report of the move has such a button, too.
await agent.getByRole("region", { name: /^Chat with/ }).getByRole("button", { name: "Reopen" }).click();
await focused(second.field);
await second.row("On the phone we help").getByText("You", { exact: true }).waitFor();
const tickets = agent.getByRole("complementary", { name: "Customer" }).locator("section").filter({ has: agent.getByRole("heading", { name: "Tickets", exact: true }) });
await eventually("a ticket of its own", async () => (await tickets.getByRole("listitem").count()) === 2);
await press(second.field, ..."One more thing", "Enter");
await second.sees("One more thing");
for (const page of [lead, agent]) check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
