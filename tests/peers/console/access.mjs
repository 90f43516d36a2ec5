// For everybody: by keyboard alone, at 360 pixels, judged by axe-core in light and dark, in two languages.
import { Inbox, browser, check, complaints, eventually, findings, focused, given, loaded, logIn, phone, press, visit } from "./stage.mjs";

const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "a question" });

// By keyboard alone.
const keyboard = await logIn(await chromium.newContext(), "/inbox/unassigned");
const inbox = new Inbox(keyboard);
await inbox.row("a question").waitFor();
await press(keyboard, "j");
await inbox.sees("a question");
await press(keyboard, "t");
await inbox.field.waitFor();
await press(keyboard, "r");
await press(inbox.field, ..."an answer", "Enter");
await inbox.sees("an answer");
await press(inbox.field, "Escape");
await press(keyboard, "?");
const help = keyboard.getByRole("dialog", { name: "Keyboard shortcuts" });
await help.waitFor();
check((await help.textContent()).includes("Take this chat"), "the keys of the chat are listed");
await keyboard.keyboard.press("Escape");
// At once: the palette takes the next key.
await press(keyboard, "Control+k", ..."dark", "Enter");
await eventually("a command to run", async () => (await keyboard.evaluate(() => document.documentElement.dataset.theme)) === "dark");
await press(keyboard, "g", "i");
await eventually("the inbox", async () => keyboard.url().endsWith("/console/inbox"));
check(complaints(keyboard).length === 0, complaints(keyboard).join("\n"));

// Judged in every look; the judge needs more than the page's policy allows.
for (const colorScheme of ["light", "dark"]) {
  const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true });
  const judge = async (page, name) => {
    const found = await findings(page);
    check(found.length === 0, `${colorScheme} ${name}: ${found.join("\n")}`);
  };
  await judge(await visit(context, `${given.base}/console`), "login");
  const page = await logIn(context, "/inbox/all");
  const seen = new Inbox(page);
  await seen.row("an answer").click();
  await seen.sees("an answer");
  await judge(page, "inbox");
  await page.getByRole("button", { name: "Assign", exact: true }).first().click();
  await page.getByRole("dialog", { name: "Assign" }).waitFor();
  await judge(page, "assign");
  await page.keyboard.press("Escape");
  await press(page, "Control+k");
  await focused(page.getByRole("combobox"));
  await judge(page, "palette");
  await page.keyboard.press("Escape");
  await press(page, "?");
  await page.getByRole("dialog").waitFor();
  await judge(page, "keys");
  await page.keyboard.press("Escape");
  for (const [keys, name] of [["ge", "Mentions"], ["gc", "Contacts"], ["gt", "Tickets"]]) {
    await press(page, ...keys);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await loaded(page);
    await judge(page, name);
  }
  await context.close();
}

// At 360 pixels: the list, then the chat, and nothing outside the screen.
const small = await logIn(await chromium.newContext({ viewport: { width: 360, height: 640 } }), "/inbox/all");
const narrow = new Inbox(small);
const fits = async (name) => check(await small.evaluate(() => document.documentElement.scrollWidth <= 360 && document.body.scrollWidth <= 360), `${name} is wider than the screen`);
await narrow.row("an answer").waitFor();
await fits("the list");
await narrow.row("an answer").click();
await narrow.sees("an answer");
await fits("the chat");
await small.getByRole("button", { name: "Customer panel" }).click();
const panel = small.getByRole("complementary", { name: "Customer" });
await panel.waitFor();
await loaded(small);
await fits("the panel of the customer");
await panel.getByRole("button", { name: "Close" }).click();
await small.getByRole("button", { name: "Back to the list" }).click();
await narrow.row("an answer").waitFor();

for (const path of ["/contacts", "/mentions", "/tickets"]) {
  await small.goto(`${given.base}/console${path}`);
  await small.getByRole("heading", { level: 1 }).waitFor();
  await loaded(small);
  await fits(path);
}

// Another language needs no other code.
const german = await visit(await chromium.newContext({ locale: "de-DE" }), `${given.base}/console`);
await german.getByRole("button", { name: "Anmelden", exact: true }).waitFor();
check((await german.evaluate(() => document.documentElement.lang)) === "de", "the language of the page");
await chromium.close();
console.log("ok");
