// An agent's first chat: login, a chat that begins to wait, an answer that the phone gets, ticks, a lost connection, and the end.
import { Inbox, browser, check, complaints, eventually, given, logIn, phone } from "./stage.mjs";

const chromium = await browser();
const context = await chromium.newContext();
const page = await logIn(context, "/inbox/unassigned");
const inbox = new Inbox(page);
check(page.url().endsWith("/console/inbox/unassigned"), `the address is kept over the login: ${page.url()}`);
await page.getByText("No chats here").waitFor();

// The chat appears by itself, with the text of the customer as text.
const markup = "is <b>anybody</b> there?";
await phone("POST", `${given.phone}/messages`, { to: given.number, text: markup });
await inbox.row(markup).waitFor();
await inbox.row(markup).click();
await inbox.sees(markup);
check((await page.locator("#main b").count()) === 0, "a text became markup");

// The customer waits since the first message, also after another one. The page shows whole seconds.
const SINCE = "Waiting for an answer since ";
const waits = page.getByRole("region", { name: "Chats" }).getByTitle(new RegExp(`^${SINCE}`));
const second = () => Math.floor(Date.now() / 1000);
const secondOfFirst = second();
await eventually("the next second", () => second() > secondOfFirst);
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "please?" });
await inbox.row("please?").waitFor();
await inbox.sees("please?");
const timeOf = async (part) => Date.parse((await part.getAttribute("title")).replace(SINCE, "").replaceAll("\u202f", " "));
await eventually("the wait since the first message", async () => (await timeOf(waits)) < (await timeOf(inbox.message("please?").locator("time"))));

await page.getByRole("button", { name: "Take this chat" }).click();
await inbox.field.waitFor();
await inbox.field.fill("How can I help?");
await inbox.field.press("Enter");
await eventually("the answer on the phone", async () => {
  const { messages } = await phone("GET", `${given.phone}/inbox`);
  return messages.some((one) => one.text === "How can I help?");
});
const answer = inbox.message("How can I help?");
const ticks = (status) => eventually(`the tick ${status}`, async () => (await answer.locator("[data-status]").getAttribute("data-status")) === status);
await ticks("DELIVERED");
await phone("POST", `${given.phone}/read`, {});
await ticks("READ");

// A message that is sent while the connection is lost arrives after it is back, without a reload.
await context.setOffline(true);
await page.getByText("The live connection is lost").waitFor();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "while you were away" });
await context.setOffline(false);
await inbox.sees("while you were away");
await eventually("the connection to be back", async () => (await page.getByText("The live connection is lost").count()) === 0);

// A draft stays with its chat over a reload; the session does, too.
await inbox.field.fill("half an answ");
await page.reload();
await eventually("the draft", async () => (await inbox.field.inputValue()) === "half an answ");
await inbox.field.fill("");

// So does the draft of a note, apart from that of the answer.
const note = page.getByRole("textbox", { name: "Write a note" });
await page.getByRole("button", { name: "Note", exact: true }).click();
await note.fill("half a no");
await page.reload();
await inbox.field.waitFor();
check((await inbox.field.inputValue()) === "", "the note became an answer");
await page.getByRole("button", { name: "Note", exact: true }).click();
await eventually("the draft of the note", async () => (await note.inputValue()) === "half a no");
await note.fill("");
await page.getByRole("button", { name: "Reply", exact: true }).click();

// A list that could not be loaded is loaded when the connection is back.
await context.setOffline(true);
await page.getByText("The live connection is lost").waitFor();
await page.getByRole("link", { name: /^Closed/ }).click();
await inbox.list.getByText("The server cannot be reached").waitFor();
await context.setOffline(false);
await page.getByText("No chats here").waitFor();

// The list that the server returns has the last message of each chat. No chat needs a request of its own.
await page.getByRole("link", { name: /^Mine/ }).click();
await page.waitForURL("**/console/inbox/my");
const asked = [];
page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
await page.reload();
await inbox.row("while you were away").waitFor();
check(asked.includes("GET /chat-service/api/v2/chats"), `the page did not read its list again: ${asked.join("\n")}`);
const single = asked.filter((one) => /^GET .*\/v2\/(chats\/[0-9a-f]{8}-|messages$)/.test(one));
check(single.length === 0, single.join("\n"));
// An answer is the last message of its row at once, and ends the wait.
await waits.waitFor();
await inbox.row("while you were away").click();
await inbox.field.fill("Here I am.");
await page.keyboard.press("Enter");
await inbox.row("Here I am.").waitFor();
await eventually("the end of the wait", async () => (await waits.count()) === 0);

// A message that fails has its reason, and is sent again as another message.
const hard = inbox.message("Can you read this?");
await phone("PUT", given.phone, { failWith: 131026 });
await inbox.field.fill("Can you read this?");
await inbox.field.press("Enter");
await hard.getByRole("alert").getByText("131026").first().waitFor();
await phone("PUT", given.phone, { failWith: null });
await hard.getByRole("button", { name: "Send again" }).click();
await eventually("the second attempt", async () => (await hard.last().locator("[data-status]").getAttribute("data-status")) === "DELIVERED");
check((await hard.count()) === 2, "the failed message is gone");

await page.getByRole("button", { name: "Resolve" }).click();
await page.getByText("This chat is closed.").waitFor();
await page.getByRole("button", { name: /account and settings/ }).click();
await page.getByRole("menuitem", { name: "Log out" }).click();
await page.getByRole("button", { name: "Log in", exact: true }).waitFor();
check(await page.evaluate(() => sessionStorage.length === 0 && document.cookie === ""), "the session left something behind");
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
