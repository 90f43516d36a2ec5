// An author opens the picture of one conversation from the log, replays it with the next version, and talks to the older version while
// the next one is live.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { browser, check, eventually, given, judgeLooks, loaded, logIn, phone, upload } from "./stage.mjs";

// The next version has other words for a timer.
const [first] = given.versions;
const second = `${first}.next.wasm`;
writeFileSync(second, Buffer.from(readFileSync(first).toString("latin1").replaceAll("time for ", "now it's "), "latin1"));

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/plugins");
const tab = (name) => page.getByRole("navigation", { name: "Parts of the plugin" }).getByRole("link", { name });
const received = async (number = given.phone) => (await phone("GET", `${number}/inbox`)).messages.map((one) => one.text);
const hears = (text, number) => eventually(`"${text}" on the phone`, async () => (await received(number)).includes(text));
const write = (text, number = given.phone) => phone("POST", `${number}/messages`, { to: given.number, text });

async function activate(version) {
  await page.getByRole("button", { name: "Activate", exact: true }).first().click();
  const form = page.getByRole("dialog", { name: "Activate clerk" });
  await form.getByLabel("Version").selectOption(version);
  await form.getByRole("button", { name: "Activate" }).click();
  await form.waitFor({ state: "detached" });
}

await upload(page, "Upload", "clerk", first);
await page.getByRole("heading", { level: 1, name: "clerk" }).waitFor();
await upload(page, "New version", "", second);
rmSync(second);
await activate("1");

// One conversation before the recording, one in it: a reply, two timers of which one fires and one is cancelled, and a failure.
const other = `2770${given.phone.slice(-7)}`;
await write("say before", other);
await hears("before", other);
await tab("Recordings").click();
await page.getByRole("button", { name: "Record", exact: true }).click();
await page.getByText("Calls are recorded from now on.").waitFor();
for (const [text, answer] of [["remind cake 2", "reminder cake set"], ["forget cake", "no reminder cake"], ["remind tea 2", "reminder tea set"]]) {
  await write(text);
  await hears(answer);
}
await hears("time for tea");
check(!(await received()).includes("time for cake"), "a cancelled timer fires");
await write("total-and-fail");

// From a call in the log to the picture of its conversation.
await tab("Live log").click();
const failure = page.getByRole("list", { name: "Live log" }).getByRole("listitem").filter({ hasText: "on-purpose" });
await failure.getByText("Refused").waitFor();
await failure.getByRole("link").click();
const picture = page.getByRole("list", { name: "Conversations" });
await picture.waitFor();
check(/\/plugins\/clerk\/conversations\?chat=[0-9a-f-]{36}$/.test(page.url()), `the address of the picture: ${page.url()}`);
const rows = picture.locator("li:not(.gap)");
const order = (await rows.evaluateAll((all) => all.map((one) => `${one.classList[1]} ${one.querySelector(".grow").textContent}`.replace(/\s+/g, " ")))).filter((one) => !one.startsWith("route"));
const at = (start, text) => {
  const found = order.findIndex((one) => one.startsWith(start) && one.includes(text));
  check(found >= 0, `the picture has no ${start} "${text}":\n${order.join("\n")}`);
  return found;
};
const events = [
  at("call", "Messageremind cake 2"), at("timer", "Timer cake started: 2 s."), at("action", "Reply reminder cake set"), at("call", "Messageforget cake"), at("action", "Timer cancelled cake"),
  at("call", "Messageremind tea 2"), at("timer", "Timer tea started: 2 s. It fired."), at("action", "Reply reminder tea set"), at("call", "Timer"), at("action", "Reply time for tea"), at("call", "Messagetotal-and-fail"),
];
check(events.every((one, index) => index === 0 || one > events[index - 1]), `the order of the picture: ${order.join("\n")}`);
check(!order[events[1]].includes("It fired"), "the cancelled timer fired in the picture");
const bad = rows.and(page.locator(".bad"));
check((await bad.count()) >= 1 && (await bad.first().textContent()).includes("nothing of this may last"), "the failed call has its error");
check(order[events[0]].includes("v1") && /v1.*Answered.*ms/.test(order[events[0]]), `the facts of a call: ${order[events[0]]}`);
check((await page.locator("svg.strip .call").count()) >= 4 && (await page.locator("svg.strip .bad").count()) >= 1 && (await page.locator("svg.strip .timer").count()) === 2, "the line of time has its marks");
const address = new URL(page.url());

// A conversation without a recording says so; one that is not known, too.
await tab("Conversations").click();
await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
await page.getByRole("button", { name: /calls?/ }).filter({ hasNotText: "failure" }).last().click();
await page.getByText("This conversation was not recorded").waitFor();
await page.getByLabel("Conversation (id)").fill("01a2227f-0000-7000-8000-000000000001");
await page.getByRole("button", { name: "Show", exact: true }).click();
await page.getByText("Nothing is known about this conversation").waitFor();

// The replay with the next version differs in one call.
await tab("Recordings").click();
await page.getByLabel("Version", { exact: true }).selectOption("2");
await page.getByRole("button", { name: "Replay", exact: true }).click();
await page.getByText(/^[1-9]\d* calls replayed: [1-9]\d* same, 1 different\.$/).waitFor();
const marked = (await page.locator(".compare .differs").allTextContents()).join("\n");
check(marked.includes("time for tea") && marked.includes("now it's tea"), `the marked lines: ${marked}`);

// The older version is talked to while the next one is live. No phone hears of it.
await activate("2");
await tab("Tester").click();
await page.getByLabel("Version").selectOption("1");
const before = (await received()).length;
const talk = page.getByRole("log", { name: "Conversation" });
const field = page.getByLabel("Write as the customer");
await field.fill("remind tea 60");
await field.press("Enter");
await talk.getByText("reminder tea set").waitFor();
await page.getByRole("button", { name: "Let it fire" }).click();
await talk.getByText("time for tea").waitFor();
await page.getByLabel("Version").selectOption("2");
await field.fill("remind tea 60");
await field.press("Enter");
await page.getByRole("button", { name: "Let it fire" }).click();
await talk.getByText("now it's tea").waitFor();
await write("say after", other);
await hears("after", other);
check((await received()).length === before, "the phone got an answer of the tester");
await tab("Live log").click();
await page.getByRole("list", { name: "Live log" }).getByText("v2").first().waitFor();
check((await page.getByRole("list", { name: "Live log" }).getByText("now it's tea").count()) === 0, "the log has a call of the tester");

const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), `${address.pathname.replace("/console", "")}${address.search}`);
await judged.getByRole("list", { name: "Conversations" }).waitFor();
await judgeLooks(judged, "the picture of a conversation");
await judged.getByRole("navigation", { name: "Parts of the plugin" }).getByRole("link", { name: "Recordings" }).click();
await loaded(judged);
await judged.getByLabel("Version", { exact: true }).selectOption("2");
await judged.getByRole("button", { name: "Replay", exact: true }).click();
await judged.getByText("First difference").first().waitFor();
await judgeLooks(judged, "the result of a replay");
await chromium.close();
console.log("ok");
