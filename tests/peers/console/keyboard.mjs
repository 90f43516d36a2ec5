// Every page by keyboard alone: its shortcut leads to it, Tab to each of its controls and to its parts.
import { browser, check, complaints, eventually, focused, given, loaded, logIn, phone, press, tabTo } from "./stage.mjs";

/** The keys, the title, and whether links at the top lead to parts. */
const PAGES = [
  ["gi", "Inbox"], ["ge", "Mentions"], ["gt", "Tickets"], ["gc", "Contacts"], ["gm", "Messages"], ["gs", "Sends"], ["gw", "Webhooks"],
  ["gn", "Numbers and sites", true], ["ga", "Administration", true], ["gd", "Supervision", true], ["gp", "Plugins"], ["gf", "Flows"],
];

const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "a question" });
const page = await logIn(await chromium.newContext(), "/inbox/all");
const inField = () => page.evaluate(() => Boolean(document.activeElement?.matches("input, textarea, select")));

// Letters are texts in a field and shortcuts elsewhere.
async function leaveFields() {
  for (let presses = 0; presses < 60 && (await inField()); presses++) await page.keyboard.press("Tab");
}

async function reachAll(name) {
  await loaded(page);
  const count = await page.evaluate(() => {
    document.getElementById("main").focus();
    const isReachable = (one) => one.tabIndex >= 0 && !one.disabled && one.type !== "radio" && one.checkVisibility({ visibilityProperty: true });
    const all = document.querySelectorAll("#main :is(a[href], button, input, select, textarea, summary, [tabindex])");
    window.unreached = new Set([...all].filter(isReachable));
    return window.unreached.size;
  });
  // The page of mentions has no control without a note.
  check(count > 0 || name === "Mentions", `${name} has no controls`);
  // A field of a time has several stops.
  for (let presses = 0; presses < 2 * count + 60; presses++) {
    await page.keyboard.press("Tab");
    const isDone = await page.evaluate(() => {
      window.unreached.delete(document.activeElement);
      return window.unreached.size === 0;
    });
    if (isDone) return;
  }
  const left = await page.evaluate(() => [...window.unreached].filter((one) => one.isConnected).map((one) => one.outerHTML.slice(0, 200)));
  check(left.length === 0, `${name}: Tab does not lead to ${left.join("\n")}`);
}

for (const [keys, title, hasParts = false] of PAGES) {
  await leaveFields();
  await press(page, ...keys);
  await eventually(title, async () => (await page.title()).startsWith(`${title} `));
  await reachAll(title);
  const links = page.locator("#main nav").first().getByRole("link");
  const parts = hasParts ? await links.allTextContents() : [];
  for (const part of parts) {
    const link = page.locator("#main nav").first().getByRole("link", { name: part, exact: true });
    await tabTo(link);
    await press(link, "Enter");
    await eventually(`${title}: ${part}`, async () => (await link.getAttribute("aria-current")) === "page");
    await reachAll(`${title}: ${part}`);
  }
}

// The first chat of the list, its answer, and the way back.
await leaveFields();
await press(page, ..."gi");
await press(page, "9");
await page.getByRole("region", { name: "Chats" }).getByRole("link").first().waitFor();
await press(page, "j");
const take = page.getByRole("button", { name: "Take this chat" });
await tabTo(take);
await press(take, "Enter");
const field = page.getByRole("textbox", { name: "Write a reply" });
await field.waitFor();
await tabTo(field);
await focused(field);
await press(field, ..."typed", "Enter");
await page.getByRole("log", { name: "Messages" }).getByText("typed").waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
