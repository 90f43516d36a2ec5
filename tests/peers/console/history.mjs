// Many messages arrive at once in an open chat: the console shows them from the events, and asks the server seldom. Then the viewer scrolls
// back with the wheel, and the message that the viewer reads stays in its place while older pages load and while new messages arrive.
import { Inbox, browser, check, complaints, eventually, given, loaded, logIn, phone } from "./stage.mjs";

/** More than two pages of 50. */
const MESSAGES = 120;
/** A request per event would be twice as many at least. */
const MOST_REQUESTS = MESSAGES / 2;
/** Pixels by which the text may move. */
const MOST = 2;
const OLDER = /\/v2\/messages\?.*beforeSequence/;

const chromium = await browser();
const write = (number) => phone("POST", `${given.phone}/messages`, { to: given.number, text: `line ${number};${" and more words".repeat(number % 7)}` });
const page = await logIn(await chromium.newContext({ viewport: { width: 1280, height: 740 } }), "/inbox/unassigned");
const inbox = new Inbox(page);
const line = (number) => inbox.message(`line ${number};`);
// The numbers of the messages that are drawn.
const numbers = () => inbox.log.evaluate((log) => [...log.querySelectorAll(".message")].map((one) => Number(one.textContent.match(/line (\d+);/)?.[1])));
const isInOrder = (shown) => shown.every((number, at) => at === 0 || number === shown[at - 1] + 1);

await page.getByText("No chats here").waitFor();
await write(1);
await inbox.row("line 1;").click();
await inbox.sees("line 1;");
await loaded(page);
const asked = [];
const note = (request) => request.method() === "GET" && asked.push(new URL(request.url()).pathname);
page.on("request", note);
for (let number = 2; number <= MESSAGES; number++) await write(number);
await inbox.sees(`line ${MESSAGES};`);
page.off("request", note);
check(asked.length <= MOST_REQUESTS, `${asked.length} requests for ${MESSAGES} messages:\n${asked.join("\n")}`);
// The log draws the messages near its end only.
const drawn = await numbers();
check(drawn.length > 5 && drawn.at(-1) === MESSAGES, `the last of ${drawn.length} messages is ${drawn.at(-1)}`);
check(isInOrder(drawn), `not in order, or not all: ${drawn}`);

// A new page has the newest messages only.
await page.goto(`${given.base}/console/inbox/all`);
await inbox.row(`line ${MESSAGES};`).click();
await inbox.sees(`line ${MESSAGES};`);

// An older page is held back until the viewer has stopped to scroll.
let release = () => {};
let isHeld = false;
await page.route(OLDER, async (route) => {
  isHeld = true;
  await new Promise((resolve) => (release = resolve));
  isHeld = false;
  await route.continue();
});

const top = () => inbox.log.evaluate((log) => log.scrollTop);
async function rest() {
  let before = NaN;
  await eventually("the end of the scrolling", async () => {
    const now = await top();
    const isSame = now === before;
    before = now;
    return isSame;
  });
}

async function wheel(by) {
  const before = await top();
  await page.mouse.wheel(0, by);
  await eventually("the wheel", async () => (await top()) !== before);
  await rest();
}

// The number of the first message that is wholly in sight.
const inSight = () => inbox.log.evaluate((log) => {
  const { top, bottom } = log.getBoundingClientRect();
  const isWhole = (one) => one.getBoundingClientRect().top >= top && one.getBoundingClientRect().bottom <= bottom;
  return Number([...log.querySelectorAll(".message")].find(isWhole)?.textContent.match(/line (\d+);/)?.[1]);
});

// The same text is at the same place after something changed. Two frames later, all of it is drawn.
async function stays(what, change) {
  const number = await inSight();
  const before = await line(number).boundingBox();
  await change();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const after = await line(number).boundingBox();
  check(after && Math.abs(after.y - before.y) <= MOST, `${what}: line ${number} moved from ${before.y} to ${after?.y}`);
}

await inbox.log.hover();
let last = MESSAGES;
async function arrive() {
  last += 1;
  await write(last);
  await line(last).waitFor({ state: "attached" });
}

for (let first = MESSAGES; first > 1; ) {
  while (!isHeld) await wheel(-350);
  await stays("a new message during a load", arrive);
  await stays("an older page", async () => {
    release();
    await eventually("the older page", async () => (await numbers())[0] < first);
  });
  first = (await numbers())[0];
  await stays("a new message", arrive);
  // Also further up, where the older messages are drawn for the first time.
  await wheel(-350);
  await stays("a new message further up", arrive);
}
await page.unroute(OLDER);
release();
const shown = await numbers();
check(shown.length === last && shown[0] === 1 && isInOrder(shown), `not in order, or not all: ${shown}`);

// At the end, new messages are followed again.
await page.getByRole("button", { name: "Latest messages" }).click();
await line(last).waitFor();
await rest();
await arrive();
await eventually("the newest message in sight", () => line(last).evaluate((one) => one.getBoundingClientRect().bottom <= one.closest("[role=log]").getBoundingClientRect().bottom));
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
