// An operator logs in with a key and looks at the parts of the service, which load again by themselves.
import { browser, check, complaints, eventually, findings, given, visit } from "./stage.mjs";

const PARTS = ["", "/queues", "/connections", "/plugins", "/storage", "/clients"];
const chromium = await browser();

// Goes to the login of operators, and logs in with a key.
async function logIn(context, key, path = "/operators") {
  const page = await visit(context, `${given.base}/console${path}`);
  await enter(page, key);
  await page.getByRole("heading", { level: 1, name: "Operation" }).waitFor();
  return page;
}

async function enter(page, key) {
  const field = page.getByLabel("Key of the operator");
  await eventually("the focus of the field", () => field.evaluate((one) => one.matches(":focus")));
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
}

// From the login of users, with a key that no operator has, and then with the right one.
const page = await visit(await chromium.newContext(), `${given.base}/console`);
await page.getByRole("button", { name: "Log in as operator of this server" }).click();
await enter(page, "00000000-0000-0000-0000-000000000000");
await page.getByText("No operator has this key.").waitFor();
await page.getByLabel("Key of the operator").fill(given.operator);
await page.keyboard.press("Enter");
await page.getByRole("region", { name: "Processes" }).first().getByRole("row").filter({ hasText: "HTTP and work" }).first().waitFor();
// The address of its listener, and its connections to the database, also those without work.
const own = page.getByRole("region", { name: "Processes" }).first().getByRole("row").filter({ hasText: new URL(given.base).host });
await eventually("the process that answers here", async () => /\d+ used, \d+ idle, \d+ at most/.test((await own.innerText()) ?? ""));
const pages = page.getByRole("navigation", { name: "Console" }).getByRole("link");
check((await pages.allTextContents()).join() === "Operation", "an operator has no other pages");

// By keyboard: the palette leads to a part.
await page.keyboard.press("Control+k");
const palette = page.getByRole("combobox", { name: "Command palette" });
await eventually("the focus of the palette", () => palette.evaluate((one) => one.matches(":focus")));
await page.keyboard.type("queues");
await page.getByRole("option", { name: "Queues" }).waitFor();
await page.keyboard.press("Enter");
await page.getByRole("region", { name: "Queues" }).first().getByRole("cell", { name: "outbound", exact: true }).waitFor();
check(page.url().endsWith("/console/operators/queues"), page.url());

// The report loads again by itself, until it is paused.
const time = page.locator(".page-head time");
const first = await time.getAttribute("title");
await eventually("a newer report", async () => (await time.getAttribute("title")) !== first);
await page.getByRole("button", { name: "Pause" }).press("Enter");
await page.getByRole("button", { name: "Resume" }).waitFor();
await page.reload();
await page.getByRole("region", { name: "Queues" }).first().waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));

// The menu of an operator has nothing of a user, and ends the session.
await page.getByRole("button", { name: /Operator/ }).click();
check((await page.getByRole("menuitem", { name: "Sessions and password" }).count()) === 0, "an operator has no password");
await page.getByRole("menuitem", { name: "Log out" }).click();
await page.getByLabel("Key of the operator").waitFor();

for (const colorScheme of ["light", "dark"]) {
  const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true, viewport: { width: 360, height: 740 } });
  const judge = async (small, name) => {
    const found = await findings(small);
    check(found.length === 0, `${colorScheme} ${name}: ${found.join("\n")}`);
    check(await small.evaluate(() => document.documentElement.scrollWidth <= 360 && document.body.scrollWidth <= 360), `${name} is wider than the screen`);
  };
  await judge(await visit(context, `${given.base}/console/operators`), "login");
  const small = await logIn(context, given.operator);
  for (const part of PARTS) {
    await small.goto(`${given.base}/console/operators${part}`);
    await small.locator("main section").first().waitFor();
    await judge(small, `operators${part}`);
  }
  await context.close();
}
await chromium.close();
console.log("ok");
