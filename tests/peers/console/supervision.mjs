// A supervisor reads the queue and the load of the agents, gives a waiting chat to an agent, reads its figures, opens a team with hours,
// sets the team and the limit of an agent, and writes a canned reply.
import { readFile } from "node:fs/promises";
import { api, browser, check, complaints, eventually, findings, given, loaded, logIn, phone } from "./stage.mjs";

const CHATS = "/chat-service/api/v2/chats";

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/supervision");
const part = (name) => page.getByRole("navigation", { name: "Parts of supervision" }).getByRole("link", { name });
const tile = (title) => page.locator(".tile").filter({ has: page.getByText(title, { exact: true }) }).locator("dd");
const shows = (what, found, text) => eventually(`${what} ${text}`, async () => (await found.innerText()) === text);
const today = () => page.evaluate(() => {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, "0")).join("-");
});

// The queue is empty, then it has one chat, which waits for all agents.
await shows("the tile", tile("Waiting"), "0");
await shows("the tile", tile("Longest wait"), "–");
const firstDay = await today();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "is anyone there?" });
await shows("the tile", tile("Waiting"), "1");
check(/^(now|\d+ min)$/.test(await tile("Longest wait").innerText()), "the longest wait is shown");
check((await page.getByRole("region", { name: "Queue by team" }).getByRole("row").allInnerTexts())[1].startsWith("All agents\t1\t"), "the chat waits for all agents");

// An agent has its state and its load. The supervisor changes the state.
const agent = page.getByRole("region", { name: "Agents and their limits" }).getByRole("row").filter({ hasText: "AGENT" });
const facts = async () => (await agent.getByRole("cell").allInnerTexts()).map((one) => one.trim());
const load = (text) => eventually(`the load ${text}`, async () => (await facts()).includes(text));
await load("0 / 20");
const agents = await agent.page().getByRole("region", { name: "Agents and their limits" }).getByRole("row").count() - 1;
await shows("the tile", tile("Agents available"), `0 / ${agents}`);
await agent.getByRole("button", { name: "Make available" }).click();
await shows("the tile", tile("Agents available"), `1 / ${agents}`);
check((await facts()).includes("Available"), "the agent is shown as available");
check((await api("GET", "/api/v1/users/me", undefined, given.agent)).available, "the agent is available");
await agent.getByRole("button", { name: "Pause" }).click();
await shows("the tile", tile("Agents available"), `0 / ${agents}`);

// The chat goes to the agent, who ends it.
const chats = page.getByRole("region", { name: "Chats" });
await chats.getByRole("checkbox").first().check();
await page.getByLabel("Give to").selectOption({ label: "AGENT" });
await page.getByRole("button", { name: "Give 1" }).click();
await page.getByText("1 chat was given.").waitFor();
await shows("the tile", tile("Waiting"), "0");
await load("1 / 20");
const [{ id: chat }] = (await api("GET", `${CHATS}?scope=my`, undefined, given.agent)).content;
await api("POST", `${CHATS}/${chat}/resolve`, undefined, given.agent);
await load("0 / 20");

// The figures have this chat, also those of an own period with today, but not those of a period before.
async function figuresAre(opened, closed) {
  await shows("the tile", tile("Begun"), String(opened));
  await shows("the tile", tile("Ended"), String(closed));
  await shows("the tile", tile("Missed"), "0");
}
const bars = async (title) => (await page.getByRole("figure").filter({ hasText: title }).getByRole("img").getAttribute("aria-label")).split(", ").map((bar) => Number(bar.split(": ").at(-1)));
const none = page.getByText("No chats began in this period");
await part("Figures").click();
await figuresAre(1, 1);
await page.getByLabel("Period").selectOption("30");
// Days without chats have a place, too.
await eventually("a bar of each day", async () => (await bars("Chats by day")).length >= 30);
for (const title of ["Chats by day", "Chats by hour of the day"]) check((await bars(title)).filter(Boolean).join() === "1", `${title} has one bar of one chat`);
const byAgent = page.getByRole("region", { name: "By agent" }).getByRole("row").filter({ hasText: "AGENT" });
check((await byAgent.getByRole("cell").allInnerTexts()).slice(0, 3).join() === "AGENT,1,0", "the chat is one of the agent");
await page.getByLabel("Period").selectOption("own");
await page.getByLabel("From").fill(firstDay);
await page.getByLabel("To", { exact: true }).fill(await today());
await figuresAre(1, 1);
await page.getByLabel("From").fill("2026-01-01");
await page.getByLabel("To", { exact: true }).fill("2026-01-31");
await none.waitFor();
await page.getByLabel("From").fill(firstDay);
await page.getByLabel("To", { exact: true }).fill(await today());
await none.waitFor({ state: "detached" });

// The same as a file.
const download = page.waitForEvent("download");
await page.getByRole("button", { name: "CSV" }).click();
check((await download).suggestedFilename() === "figures.csv", "the file has a name");
const lines = (await readFile(await (await download).path(), "utf8")).trim().split(/\r?\n/).map((line) => line.split(","));
check(lines[0].slice(0, 5).join() === "group,key,name,opened,closed", lines[0].join());
const counted = (group, name) => lines.find((line) => line[0] === group && line[2] === name)?.slice(3, 6).join();
check(counted("total", "") === "1,1,0", `the total: ${counted("total", "")}`);
check(counted("agent", "AGENT") === "1,1,0", `the agent: ${counted("agent", "AGENT")}`);

await part("Teams").click();
await page.getByRole("button", { name: "New team" }).click();
const team = page.getByRole("dialog", { name: "New team" });
await team.getByLabel("Name").fill("Night shift");
await team.getByRole("switch", { name: "Always open" }).click();
await team.getByRole("button", { name: "Add hours on Monday" }).click();
await team.getByLabel("Monday: closes").fill("23:00");
await team.getByRole("button", { name: "Save" }).click();
const row = page.getByRole("region", { name: "Teams" }).getByRole("row").filter({ hasText: "Night shift" });
await row.getByText("Mon 08:00–23:00").waitFor();

// The team and the limit of an agent are changed here, and shown next to the load.
await page.getByLabel("Team of AGENT").selectOption({ label: "Night shift" });
await page.getByText("The team of AGENT is saved.").waitFor();
const limit = page.getByLabel("Most chats of AGENT");
await limit.fill("3");
await limit.press("Tab");
await page.getByText("The limit of AGENT is saved.").waitFor();
await part("Now").click();
await load("0 / 3");
check((await facts()).includes("Night shift"), "the team of the agent is shown");
check((await api("GET", "/api/v1/users/me", undefined, given.agent)).team === "Night shift", "the agent is in the team");
// Without a limit of its own, an agent has the usual one. Without a team, it has none.
await part("Teams").click();
await limit.fill("");
await limit.press("Tab");
await page.getByLabel("Team of AGENT").selectOption({ label: "Without a team" });
await part("Now").click();
await load("0 / 20");
await eventually("no team", async () => !(await facts()).includes("Night shift"));

await part("Canned replies").click();
await page.getByRole("button", { name: "New canned reply" }).click();
const reply = page.getByRole("dialog", { name: "New canned reply" });
await reply.getByLabel("Shortcut").fill("hours");
await reply.getByLabel("Text").fill("Hello ");
await reply.getByRole("button", { name: "customer.name" }).click();
await reply.getByRole("button", { name: "Save" }).click();
await page.getByRole("cell", { name: "Hello {{customer.name}}" }).waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));

for (const colorScheme of ["light", "dark"]) {
  const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true, viewport: { width: 360, height: 740 } });
  const small = await logIn(context, "/supervision");
  for (const path of ["", "/figures", "/teams", "/replies"]) {
    await small.goto(`${given.base}/console/supervision${path}`);
    await small.getByRole("heading", { level: 1 }).waitFor();
    await loaded(small);
    const found = await findings(small);
    check(found.length === 0, `${colorScheme} ${path}: ${found.join("\n")}`);
    check(await small.evaluate(() => document.documentElement.scrollWidth <= 360 && document.body.scrollWidth <= 360), `${path} is wider than the screen`);
    check(await small.locator("td select").evaluateAll((all) => all.every((one) => one.clientWidth > 100)), `${path} has choices that are too narrow to read`);
  }
  await context.close();
}
await chromium.close();
console.log("ok");
