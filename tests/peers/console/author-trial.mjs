// An author drops two versions, watches a canary that crashes and is slow next to the live version, then a shadow that runs, and sees
// the breaker suspend the version when it is live.
import { browser, check, drop, eventually, given, judgeLooks, logIn, phone } from "./stage.mjs";

const chromium = await browser();
const page = await logIn(await chromium.newContext({ viewport: { width: 1280, height: 900 } }), "/plugins");
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/plugins");
const dialog = (name) => page.getByRole("dialog", { name });
const tab = (name) => page.getByRole("navigation", { name: "Parts of the plugin" }).getByRole("link", { name });
const customers = [...Array(12).keys()].map((at) => `27${71 + at}${given.phone.slice(-7)}`);
const write = (number, text) => phone("POST", `${number}/messages`, { to: given.number, text });
const dropMark = page.locator(".drop-here, .drop-zone.over");

async function activate(mode, version, fields = {}) {
  await page.getByRole("button", { name: "Activate", exact: true }).first().click();
  const form = dialog("Activate greeter");
  await form.getByLabel("Version").selectOption(version);
  await form.getByLabel("Mode").selectOption(mode);
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value);
  await form.getByRole("button", { name: "Activate" }).click();
  await form.waitFor({ state: "detached" });
}

async function endTrial() {
  await page.getByRole("button", { name: "End it" }).click();
  await dialog("Roll back greeter").getByRole("button", { name: "Roll back" }).click();
  await page.getByText("No trial is running").waitFor();
}

// The first version is dropped on the list, the second one into the dialog of the plugin.
await page.getByRole("heading", { level: 1, name: "Plugins" }).waitFor();
await drop(page.getByRole("heading", { level: 1 }), given.versions[0], "Greeter.wasm", () => eventually("the mark of the place", async () => (await dropMark.count()) === 1));
const upload = dialog("Upload");
await upload.getByText("The check has no findings").waitFor();
check((await upload.getByLabel("Name").inputValue()) === "greeter", "the file names the plugin");
check((await dropMark.count()) === 0, "the list still waits for a drop");
await upload.getByRole("button", { name: "Upload", exact: true }).click();
await page.getByRole("heading", { level: 1, name: "greeter" }).waitFor();
await page.getByRole("button", { name: "New version" }).click();
const next = dialog("New version of greeter");
await drop(next.getByText("Drop a WebAssembly component here"), given.versions[1], "second.wasm");
await next.getByText("second.wasm").waitFor();
check((await dropMark.count()) === 0, "the page behind the dialog waits for a drop");
// Another file at another place of the dialog takes its place.
await drop(next.getByRole("heading"), given.versions[1], "third.wasm");
await next.getByText("third.wasm").waitFor();
await next.getByText("The check has no findings").waitFor();
await next.getByRole("button", { name: "Upload", exact: true }).click();
await next.waitFor({ state: "detached" });

// Half of the customers get the canary, also if it fails: automation may end it only after more calls than this story makes.
await activate("live", "1");
await activate("canary", "2", { "Share of the participants": "50", "Calls before failures can end the canary": "1000" });
await tab("Trial").click();
const trial = page.getByRole("region", { name: "Canary All inboxes" });
const side = (title) => trial.locator(".side").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
const figure = async (title, name) => (await side(title).locator("dl > div").filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).locator("dd").textContent()).trim();
const amount = async (title, name) => Number.parseFloat((await figure(title, name)).replace(",", ""));
await Promise.all(customers.map((one) => write(one, "version 60")));
await eventually("calls of both versions", async () => (await amount("Live: v1", "Calls")) > 0 && (await amount("Canary: v2", "Calls")) > 0);
check((await amount("Canary: v2", "Failures")) === 0, "nothing failed yet");
await Promise.all(customers.map((one) => write(one, "panic")));
await eventually("failures of the canary", async () => /^[1-9]\d* \d+(\.\d)?%$/.test(await figure("Canary: v2", "Failures")));
check((await figure("Live: v1", "Failures")) === "0 0%", `failures of the live version: ${await figure("Live: v1", "Failures")}`);
check((await side("Canary: v2").locator(".bad").filter({ hasText: "Failures" }).count()) === 1, "the worse side is marked");
check((await side("Live: v1").locator(".bad").filter({ hasText: "Failures" }).count()) === 0, "the better side is marked");
// A call of the canary takes at least the time for which it sleeps.
check((await amount("Canary: v2", "19 of 20 within")) >= 60, `the slow calls of the canary: ${await figure("Canary: v2", "19 of 20 within")}`);
for (const title of ["Live: v1", "Canary: v2"]) for (const name of ["Median latency", "19 of 20 within"]) check(/^[\d.,]+ ms$/.test(await figure(title, name)), `${name} of ${title}`);
await trial.getByText("The canary ends by itself if more than 10 % of at least 1000 calls fail.").waitFor();
await judged.goto(page.url());
await judged.getByRole("region", { name: "Canary All inboxes" }).getByRole("heading", { name: "Canary: v2" }).waitFor();
await judgeLooks(judged, "a running canary");
await endTrial();

// A running shadow with the first difference.
await activate("shadow", "2");
await page.getByRole("region", { name: "Shadow All inboxes" }).waitFor();
await write(`2770${given.phone.slice(-7)}`, "hi");
await eventually("the difference", async () => {
  if ((await page.locator(".compare").count()) === 0) await page.getByRole("button", { name: "Refresh" }).click();
  return page.locator(".compare").first().isVisible();
});
await judged.reload();
await judged.locator(".compare").first().waitFor();
await judgeLooks(judged, "a running shadow");
await endTrial();

// The version that crashes is suspended if all get it.
await activate("live", "2");
await tab("Overview").click();
const place = page.getByRole("article", { name: "All inboxes" });
const others = customers.map((one) => one.replace(/^277/, "276").replace(/^278/, "279"));
await Promise.all(others.map((one) => write(one, "version")));
for (const one of others) await eventually(`the answer to ${one}`, async () => (await phone("GET", `${one}/inbox`)).messages.some((sent) => sent.text === "version-0000"));
await Promise.all(others.map((one) => write(one, "panic")));
await place.getByText("Suspended", { exact: true }).waitFor();
check(/calls( in a row)? failed; the last one: /.test(await place.textContent()), `the reason of the suspension: ${await place.textContent()}`);
check(/The next call at .+ decides\./.test(await place.textContent()), "the end of the suspension");
await eventually("the failed calls of the hour", async () => /[1-9]\d* of [1-9]\d* calls failed/.test(await place.textContent()));
await judged.goto(page.url());
await judged.getByText("Suspended", { exact: true }).waitFor();
await judgeLooks(judged, "a suspended version");
await tab("History").click();
await page.getByRole("cell", { name: "Suspended" }).first().waitFor();
await chromium.close();
console.log("ok");
