// Many messages arrive at once in an open chat: the console shows them from the events, and asks the server seldom.
import { Inbox, browser, check, complaints, given, loaded, logIn, phone } from "./stage.mjs";

const MESSAGES = 60;
/** A request per event would be twice as many at least. */
const MOST = MESSAGES / 2;

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/inbox/unassigned");
const inbox = new Inbox(page);
await page.getByText("No chats here").waitFor();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "the first one" });
await inbox.row("the first one").click();
await inbox.sees("the first one");
await loaded(page);

const asked = [];
page.on("request", (request) => {
  if (request.method() === "GET") asked.push(new URL(request.url()).pathname);
});
for (let number = 1; number <= MESSAGES; number++) await phone("POST", `${given.phone}/messages`, { to: given.number, text: `one of ${MESSAGES}: ${number};` });
await inbox.sees(`one of ${MESSAGES}: ${MESSAGES};`);
check(asked.length <= MOST, `${asked.length} requests for ${MESSAGES} messages:\n${asked.join("\n")}`);
// The log draws the messages near its end only.
const drawn = await inbox.message(`one of ${MESSAGES}: `).allTextContents();
const shown = drawn.map((text) => Number(text.match(new RegExp(`one of ${MESSAGES}: (\\d+);`))[1]));
check(shown.length > 5 && shown.at(-1) === MESSAGES, `the last of ${shown.length} messages is ${shown.at(-1)}`);
check(shown.every((number, at) => at === 0 || number === shown[at - 1] + 1), `not in order, or not all: ${shown}`);
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
