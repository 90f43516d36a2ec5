// A customer with a chat on WhatsApp, one over SMS, and one of another number that was merged: the panel and the rows have the same
// name, tag, note, attribute and ticket, and each search finds them.
import { Inbox, api, browser, check, complaints, eventually, given, judgeLooks, loaded, logIn, phone, press } from "./stage.mjs";

const CONTACTS = "/messaging-service/WhatsApp/contacts";
const second = `2784${given.phone.slice(-7)}`;
const chromium = await browser();
const page = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/inbox/all");
const inbox = new Inbox(page);
const panel = page.getByRole("complementary", { name: "Customer" });
const part = (title) => panel.locator("section").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
const dialog = (name) => page.getByRole("dialog", { name, exact: true });
const write = (number, text) => phone("POST", `${number}/messages`, { to: given.number, text });
await api("PUT", "/messaging-service/WhatsApp/contact-attributes/plan", { label: "Plan", type: "CHOICE", choices: ["silver", "gold"] });

// The router leaves the first chat to the bot, which tags it, and the others to agents.
await write(given.phone, "vip");
await inbox.row("tagged").waitFor();
await write(second, "queue please");
const sms = { messages: [{ recipients: [{ to: given.phone }], messageText: "Are you coming?" }] };
await api("POST", "/whatsapp-api-service/v2/channels/sms", sms);
await eventually("the SMS", async () => (await phone("GET", `${given.phone}/inbox`)).messages.some((one) => one.text === "Are you coming?"));
await phone("POST", `${given.phone}/sms`, { to: "PATCHBAY", text: "queue by SMS" });

// Each row has its channel, its owner and its last message.
async function row(text, mark, channel, owner) {
  const found = inbox.row(text);
  await found.waitFor();
  check((await found.getByTitle(channel, { exact: true }).textContent()) === mark, `${text}: the mark is not ${mark}`);
  await found.locator(".chat-marks").getByText(owner, { exact: true }).waitFor();
  return found;
}
await row("tagged", "WA", "WhatsApp", "Bot");
await row("queue please", "WA", "WhatsApp", "Waiting");
await row("queue by SMS", "SMS", "SMS", "Waiting");

// The customer gets a name, which both chats of the number have at once.
await inbox.row("tagged").click();
await inbox.sees("vip");
await page.getByRole("button", { name: "Take this chat" }).click();
await inbox.field.waitFor();
await row("tagged", "WA", "WhatsApp", "You");
await inbox.row("tagged").getByText("vip", { exact: true }).waitFor();
await panel.getByRole("button", { name: "Name this customer" }).click();
await dialog("Name this customer").getByLabel("Name").fill("Xena");
await dialog("Name this customer").getByRole("button", { name: "Save" }).click();
await panel.getByRole("heading", { name: "Xena", exact: true }).waitFor();
const named = (text, name) => eventually(`the name ${name} of "${text}"`, async () => (await inbox.row(text).locator(".chat-name").textContent()) === name);
for (const text of ["tagged", "queue by SMS"]) await named(text, "Xena");

// Facts of the contact.
await panel.getByLabel("Add a tag").fill("late payer");
await panel.getByLabel("Add a tag").press("Enter");
await panel.getByRole("button", { name: "Remove the tag late payer" }).waitFor();

// A colleague adds a tag and corrects the name: the panel and the rows follow, and a half-written tag stays.
await panel.getByLabel("Add a tag").fill("half");
const idOf = async (number) => (await api("GET", `${CONTACTS}?search=${number}`)).content[0].id;
const contact = `${CONTACTS}/${await idOf(given.phone)}`;
await api("PUT", `${contact}/tags`, { tags: ["late payer", "abroad"] });
await panel.getByRole("button", { name: "Remove the tag abroad" }).waitFor();
await api("PUT", contact, { fullName: "Xenia" });
await panel.getByRole("heading", { name: "Xenia", exact: true }).waitFor();
for (const text of ["tagged", "queue by SMS"]) await named(text, "Xenia");
check((await panel.getByLabel("Add a tag").inputValue()) === "half", "the half-written tag is gone");
await panel.getByLabel("Add a tag").fill("");

await panel.getByLabel("A note about this customer").fill("Calls on Mondays.");
await panel.getByRole("button", { name: "Add note" }).click();
await part("Notes about the customer").getByRole("listitem").getByText("Calls on Mondays.").waitFor();
const stored = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.url().endsWith("/attributes"));
await panel.getByLabel("Plan").selectOption("gold");
check((await stored).ok(), "the attribute is not stored");

// Facts of the chat: the ticket changes while the panel is shown.
const ticket = part("Tickets").getByRole("listitem");
await ticket.getByText("1", { exact: true }).waitFor();
await ticket.getByText("Open", { exact: true }).waitFor();
await inbox.field.fill("Here is a person.");
await inbox.field.press("Enter");
await ticket.getByText("Customer's turn").waitFor();
await part("Steps of the bot").getByRole("listitem").filter({ hasText: "tagged" }).waitFor();
const decision = part("Routing decisions").getByRole("listitem");
check((await decision.textContent()).startsWith("usher 1") && (await decision.getByText("no rule fits").count()) === 1, await decision.textContent());
check((await part("Details").textContent()).includes(`+${given.number}`), "the panel does not name our address");

// The other number is merged. Its chat is one of the customer's, with the same facts.
const other = (await api("POST", CONTACTS, { fullName: "Quirin", phoneNumber: second })).id;
await api("POST", `${contact}/merges`, { contactId: other });
await named("queue please", "Xenia");
const chats = part("Other chats").getByRole("link");
await eventually("the two other chats", async () => (await chats.count()) === 2);
await chats.filter({ hasText: "SMS" }).waitFor();
await chats.filter({ hasText: "WhatsApp" }).click();
await inbox.sees("queue please");
await panel.getByRole("heading", { name: "Xenia", exact: true }).waitFor();
await panel.getByRole("button", { name: "Remove the tag late payer" }).waitFor();
await part("Notes about the customer").getByText("Calls on Mondays.").waitFor();
await eventually("the attribute", async () => (await panel.getByLabel("Plan").inputValue()) === "gold");
await part("Tickets").getByText("No agent has worked on this chat yet.").waitFor();
await part("Routing decisions").getByText("the customer asked for any agent").waitFor();
await eventually("the two other chats", async () => (await chats.filter({ hasText: "SMS" }).count()) === 1 && (await chats.count()) === 2);

// Another name here is the name of all three.
await panel.getByRole("button", { name: "Change the name" }).click();
await dialog("Change the name").getByLabel("Name").fill("Xenia Mokoena");
await dialog("Change the name").getByRole("button", { name: "Save" }).click();
for (const text of ["Here is a person.", "queue by SMS", "queue please"]) await named(text, "Xenia Mokoena");

// Messages that the agent has not seen are counted in the row until the chat is opened.
await write(given.phone, "first question");
await write(given.phone, "second question");
const unread = inbox.row("second question").getByLabel("2 unread messages");
await unread.waitFor();
await inbox.row("second question").click();
await inbox.sees("second question");
await eventually("the end of unread messages", async () => (await inbox.row("second question").locator(".count").count()) === 0);
await ticket.getByText("Our turn").waitFor();
await judgeLooks(page, "a chat with its panel");

// The field of the inbox finds all chats of the name, and nothing else.
await write(`2785${given.phone.slice(-7)}`, "queue for another customer");
await inbox.row("queue for another customer").waitFor();
const field = page.getByRole("searchbox", { name: "Search chats" });
await field.fill("mokoena");
await eventually("the three chats of the name", async () => (await inbox.row("queue for another customer").count()) === 0 && (await inbox.list.getByRole("link").count()) === 3);
await field.fill("no such name");
await inbox.list.getByText("Nothing was found").waitFor();
await field.fill("");
await inbox.row("queue for another customer").waitFor();

// So does the palette, by the name of the contact and by the number of the ticket.
async function find(text, group, option) {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByRole("main").focus();
  await press(page, "Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill(text);
  await page.getByRole("group", { name: group, exact: true }).getByRole("option").filter({ hasText: option }).click();
}
await page.goto(`${given.base}/console/contacts`);
await find("Mokoena", "Contacts", "Xenia Mokoena");
await page.waitForURL("**/console/inbox/all?q=*");
await inbox.row("second question").waitFor();
for (const text of ["#1", "1"]) {
  await page.goto(`${given.base}/console/contacts`);
  await find(text, "Tickets", "Ticket 1");
  await inbox.sees("second question");
}

// The page of tickets leads to the chat, too.
await page.goto(`${given.base}/console/tickets`);
await page.getByRole("searchbox", { name: "Ticket number or customer" }).fill("xenia");
const tickets = page.getByRole("region", { name: "Tickets" });
const line = tickets.getByRole("row").filter({ hasText: `+${given.phone}` });
await page.waitForURL("**/console/tickets?q=xenia*");
await line.waitFor();
check((await line.getByRole("combobox", { name: "Status of ticket 1" }).inputValue()) === "AWAITING_AGENT", "the status of the ticket");
await line.getByRole("combobox", { name: "Status of ticket 1" }).selectOption("RESOLVED");
await page.getByText("Ticket 1 is now: Resolved.").waitFor();
await loaded(page);
await judgeLooks(page, "the tickets");
await page.getByLabel("Status", { exact: true }).selectOption("OPEN");
await page.getByText("No tickets").waitFor();
await page.getByLabel("Status", { exact: true }).selectOption("RESOLVED");
await line.getByRole("button").first().click();
await inbox.sees("second question");
await ticket.getByText("Resolved").waitFor();

check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
