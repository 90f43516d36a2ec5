// Viewers east and west of the server: a row, a thread, the filter of the audit trail and an own period have the viewer's zone.
import { Inbox, api, browser, check, eventually, given, loaded, logIn, phone } from "./stage.mjs";

/** The first instant of 15 January, of 8 March, which has 23 hours in New York, and of the days after them. */
const ZONES = {
  "Asia/Tokyo": { "2026-01-15": ["2026-01-14T15:00:00.000Z", "2026-01-15T15:00:00.000Z"], "2026-03-08": ["2026-03-07T15:00:00.000Z", "2026-03-08T15:00:00.000Z"] },
  "America/New_York": { "2026-01-15": ["2026-01-15T05:00:00.000Z", "2026-01-16T05:00:00.000Z"], "2026-03-08": ["2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"] },
};
const HOUR_MS = 3_600_000;

const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "what time is it?" });
const chat = await eventually("the chat", async () => (await api("GET", "/chat-service/api/v2/chats?scope=all")).content[0]);
const sent = chat.lastMessage.createdTime;
await api("POST", "/api/v1/teams", { name: "Night shift" });

for (const [timeZone, periods] of Object.entries(ZONES)) {
  const page = await logIn(await chromium.newContext({ timezoneId: timeZone }), "/inbox/all");
  const format = (options) => (time) => new Intl.DateTimeFormat("en", { ...options, timeZone }).format(new Date(time));
  const [clock, day, weekday] = [format({ hour: "numeric", minute: "2-digit" }), format({ dateStyle: "short" }), format({ weekday: "short" })];
  const whole = format({ dateStyle: "medium", timeStyle: "medium" });
  /** A time as the fields of a browser take it. */
  const typed = (time) => new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short", timeZone }).format(new Date(time)).replace(" ", "T");
  const shows = (what, part, text) => eventually(`${timeZone}, ${what}: ${text()}`, async () => (await part.innerText()) === text());

  // The list has the clock of the day, and the thread has it always.
  const inbox = new Inbox(page);
  const row = inbox.row("what time is it?");
  await shows("row", row.locator("time"), () => (day(sent) === day(Date.now()) ? clock(sent) : weekday(sent)));
  check((await row.locator("time").getAttribute("title")) === whole(sent), `${timeZone}: the whole time is ${await row.locator("time").getAttribute("title")}`);
  await row.click();
  await shows("thread", inbox.message("what time is it?").locator("time"), () => clock(sent));
  await shows("day", inbox.log.locator(".day").first(), () => (day(sent) === day(Date.now()) ? "Today" : "Yesterday"));

  // The filter of the audit trail finds an entry of this hour, and none before or after it.
  await page.goto(`${given.base}/console/administration/audit`);
  const made = (await api("GET", "/api/v1/audit?targetKind=team")).content[0].time;
  const entries = page.getByRole("region", { name: "Audit log" }).getByRole("row").filter({ hasText: "team" });
  await page.getByLabel("Object", { exact: true }).fill("team");
  await shows("entry", entries.locator("time"), () => format({ day: "numeric", month: "short", hour: "numeric", minute: "2-digit" })(made));
  for (const [from, to, found] of [[-3, -1, 0], [-1, 1, 1], [1, 3, 0]]) {
    await page.getByLabel("Since", { exact: true }).fill(typed(Date.parse(made) + from * HOUR_MS));
    await page.getByLabel("Until", { exact: true }).fill(typed(Date.parse(made) + to * HOUR_MS));
    await eventually(`${timeZone}, ${found} entries from hour ${from} to ${to}`, async () => (await page.locator("#main [aria-busy=true]").count()) === 0 && (await entries.count()) === found);
  }

  // An own period has whole days of the viewer.
  await page.goto(`${given.base}/console/supervision/figures`);
  await page.getByLabel("Period").selectOption("own");
  const [first, last] = [page.getByLabel("From"), page.getByLabel("To", { exact: true })];
  const enter = async (from, to) => {
    await first.fill(from);
    await last.fill(to);
  };
  for (const [date, [from, to]] of Object.entries(periods)) {
    const asked = page.waitForRequest((request) => {
      const { searchParams } = new URL(request.url());
      return searchParams.get("from") === from && searchParams.get("to") === to;
    });
    await enter(date, date);
    await asked;
  }
  const today = typed(sent).slice(0, 10);
  const before = new Date(Date.parse(today) - 24 * HOUR_MS).toISOString().slice(0, 10);
  await enter(before, before);
  await page.getByText("No chats began in this period").waitFor();
  await enter(before, today);
  const begun = page.locator(".tile").filter({ has: page.getByText("Begun", { exact: true }) }).locator("dd");
  await shows("chats", begun, () => "1");
  await loaded(page);
}
await chromium.close();
console.log("ok");
