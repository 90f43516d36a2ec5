// A supervisor gives a waiting chat to an agent, opens a team with hours, and writes a canned reply.
import { browser, check, complaints, eventually, findings, given, loaded, logIn, phone } from "./stage.mjs";

const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "is anyone there?" });
const page = await logIn(await chromium.newContext(), "/supervision");
const part = (name) => page.getByRole("navigation", { name: "Parts of supervision" }).getByRole("link", { name });

const chats = page.getByRole("region", { name: "Chats" });
await chats.getByRole("checkbox").first().check();
await page.getByLabel("Give to").selectOption({ index: 1 });
await page.getByRole("button", { name: "Give 1" }).click();
await page.getByText("1 chat was given.").waitFor();

await part("Figures").click();
await page.getByLabel("Period").selectOption("30");
await eventually("figures or their absence", async () => (await page.getByText("Chats by day").count()) + (await page.getByText("No chats began in this period").count()) === 1);
// Days without chats have a place, too.
const days = page.getByRole("figure").filter({ hasText: "Chats by day" }).locator("rect");
await eventually("a bar of each day", async () => (await days.count()) >= 30 || (await page.getByText("No chats began in this period").count()) === 1);

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
