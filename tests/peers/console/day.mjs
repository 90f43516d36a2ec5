// A day of two agents on one queue, for some seconds and at least some chats. A customer writes, an agent takes the chat and answers,
// at times over a lost connection. At times it goes to the colleague. Then it is resolved. At the end no page lacks a message.
import { Inbox, browser, check, complaints, eventually, given, logIn, phone } from "./stage.mjs";

/** Chats of a day without seconds. */
const FEWEST = 4;
/** An odd number, so that each customer meets both agents. */
const CUSTOMERS = 5;
/** The newest messages of a customer that are looked for at the end. A page of the history has 50. */
const COMPARED = 20;

const chromium = await browser();
const seats = [];
for (const user of [given.admin, given.agent]) {
  const context = await chromium.newContext();
  const page = await logIn(context, "/inbox/all", user);
  seats.push({ context, page, inbox: new Inbox(page) });
}
const customers = Array.from({ length: CUSTOMERS }, (_, index) => ({ number: `2786${given.phone.slice(-5)}0${index}`, chat: "", texts: [] }));
const counts = { chats: 0, messages: 0, lost: 0, moved: 0 };

function keep(customer, text) {
  customer.texts.push(text);
  counts.messages += 1;
}

async function write(customer, text) {
  keep(customer, text);
  await phone("POST", `${customer.number}/messages`, { to: given.number, text });
}

async function answer({ inbox }, customer, text) {
  keep(customer, text);
  await inbox.field.fill(text);
  await inbox.field.press("Enter");
  await eventually(`"${text}" on the phone`, async () => (await phone("GET", `${customer.number}/inbox`)).messages.some((one) => one.text === text));
}

// A customer writes while the page is offline. The page shows it when it is back, without a reload.
async function loseConnection({ context, page, inbox }, customer, text) {
  const lost = page.getByText("The live connection is lost");
  await context.setOffline(true);
  await lost.waitFor();
  await write(customer, text);
  await context.setOffline(false);
  await inbox.sees(text);
  await eventually("the connection to be back", async () => (await lost.count()) === 0);
  counts.lost += 1;
}

// The colleague is the only user in the dialog, because it leaves out the one who has the chat.
async function handOver(from, to, customer, text) {
  await from.page.getByRole("button", { name: "Assign", exact: true }).first().click();
  const dialog = from.page.getByRole("dialog", { name: "Assign" });
  await dialog.getByRole("button").filter({ has: from.page.locator(".avatar") }).first().click();
  await from.page.getByText("has this chat.").waitFor();
  check((await from.inbox.field.count()) === 0, "an agent can write in the chat of another");
  await to.inbox.row(customer.texts.at(-1)).click();
  await answer(to, customer, text);
  counts.moved += 1;
}

async function serve(number) {
  const customer = customers[number % CUSTOMERS];
  const [owner, colleague] = number % 2 ? seats : [...seats].reverse();
  const question = `Question ${number}.`;
  await write(customer, question);
  await owner.inbox.row(question).click();
  await owner.inbox.sees(question);
  customer.chat = new URL(owner.page.url()).pathname.split("/").at(-1);
  await owner.page.getByRole("button", { name: "Take this chat" }).click();
  await answer(owner, customer, `Answer ${number}.`);
  if (number % 3 === 1) await loseConnection(owner, customer, `Offline ${number}.`);
  const moves = number % 4 === 2;
  if (moves) await handOver(owner, colleague, customer, `Colleague ${number}.`);
  const { page } = moves ? colleague : owner;
  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByText("This chat is closed.").waitFor();
  counts.chats += 1;
}

const end = Date.now() + given.seconds * 1000;
for (let number = 0; number < FEWEST || Date.now() < end; number += 1) await serve(number);

for (const { page, inbox } of seats) {
  for (const customer of customers.filter((one) => one.chat)) {
    // Within the page, so that its memory stays.
    await page.evaluate((to) => {
      history.pushState(null, "", `/console/inbox/all/${to}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, customer.chat);
    for (const text of customer.texts.slice(-COMPARED)) await inbox.sees(text);
  }
  check(complaints(page).length === 0, complaints(page).join("\n"));
}
await chromium.close();
console.log(`ok: ${counts.chats} chats, ${counts.messages} messages, ${counts.lost} lost connections, ${counts.moved} transfers`);
