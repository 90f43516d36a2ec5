// An author uploads two versions, rolls the second one out as a canary, watches it, rolls it back, and compares it as a shadow.
import { readFileSync } from "node:fs";
import { browser, check, complaints, eventually, findings, given, loaded, logIn, phone, upload } from "./stage.mjs";

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/plugins");
const dialog = (name) => page.getByRole("dialog", { name });
const tab = (name) => page.getByRole("navigation", { name: "Parts of the plugin" }).getByRole("link", { name });

async function activate(mode, version) {
  await page.getByRole("button", { name: "Activate", exact: true }).first().click();
  const form = dialog("Activate greeter");
  await form.getByLabel("Version").selectOption(version);
  await form.getByLabel("Mode").selectOption(mode);
  if (mode === "canary") await form.getByLabel("Share of the participants").fill("99");
  await form.getByRole("button", { name: "Activate" }).click();
  await form.waitFor({ state: "detached" });
}

// A file that is no component has findings, and is not uploaded.
await page.getByRole("button", { name: "Upload", exact: true }).click();
await page.getByRole("dialog").locator("input[type=file]").first().setInputFiles({ name: "greeter.wasm", mimeType: "application/wasm", buffer: Buffer.from("text") });
await page.getByText("The check has one finding").waitFor();
check(await page.getByRole("dialog").getByRole("button", { name: "Upload", exact: true }).isDisabled(), "a file with findings is not uploaded");
await page.keyboard.press("Escape");

const [first, second] = given.versions.map((path, index) => ({ name: `greeter-${index}.wasm`, mimeType: "application/wasm", buffer: readFileSync(path) }));
await upload(page, "Upload", "greeter", first);
await page.getByRole("heading", { level: 1, name: "greeter" }).waitFor();
await upload(page, "New version", "", second);
await activate("live", "1");
await activate("canary", "2");

await tab("Trial").click();
const trial = page.getByRole("region", { name: "Canary All inboxes" });
await trial.getByRole("heading", { name: "Canary: v2" }).waitFor();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "hi" });
await eventually("calls on one side", async () => /[1-9]/.test((await trial.locator("dl").allTextContents()).map((text) => /Calls(\d+)/.exec(text)?.[1]).join("")));
const share = trial.getByRole("slider", { name: "Share of the participants" });
await share.press("ArrowLeft");
await trial.getByRole("button", { name: "Apply" }).click();
await eventually("the new share", async () => (await trial.textContent()).includes("Canary 98 %"));

await trial.getByRole("button", { name: "End it" }).click();
const rollback = dialog("Roll back greeter");
await rollback.getByText("All inboxes: the Canary v2 ends, and greeter v1 answers for everybody.").waitFor();
await rollback.getByRole("button", { name: "Roll back" }).click();
await page.getByText("No trial is running").waitFor();

// A shadow is called for comparison only: both answers stand side by side, and the customer gets that of the live version.
const received = async (text) => (await phone("GET", `${given.phone}/inbox`)).messages.filter((one) => one.text?.includes(text)).length;
const before = { live: await received("Hello"), shadow: await received("Welcome") };
await activate("shadow", "2");
const shadow = page.getByRole("region", { name: "Shadow All inboxes" });
await shadow.getByRole("heading", { name: "Shadow: v2" }).waitFor();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "hi to both" });
await eventually("the answer of the live version", async () => (await received("Hello")) === before.live + 1);
const side = (title) => page.locator(".compare").getByRole("region", { name: title, exact: true });
await eventually("the difference", async () => {
  if ((await side("Shadow: v2").count()) === 0) await page.getByRole("button", { name: "Refresh" }).click();
  return side("Shadow: v2").isVisible();
});
const marked = async (title) => (await side(title).locator(".differs").allTextContents()).join("\n");
const [ofLive, ofShadow] = [await marked("Live: v1"), await marked("Shadow: v2")];
check(ofLive.includes("Hello") && !ofLive.includes("Welcome"), `marked in the live answer: ${ofLive}`);
check(ofShadow.includes("Welcome") && !ofShadow.includes("Hello"), `marked in the answer of the shadow: ${ofShadow}`);
check((await received("Welcome")) === before.shadow, "the customer got the answer of the shadow");
await shadow.getByRole("button", { name: "End it" }).click();
await rollback.getByText("All inboxes: the Shadow v2 ends, and greeter v1 answers for everybody.").waitFor();
await rollback.getByRole("button", { name: "Roll back" }).click();
await page.getByText("No trial is running").waitFor();

// A recorded call is replayed with the other version, which answers differently.
await tab("Recordings").click();
await page.getByRole("button", { name: "Record", exact: true }).click();
await page.getByText("Calls are recorded from now on.").waitFor();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "hi once more" });
await eventually("the recorded call", async () => {
  if ((await page.getByRole("region", { name: "Recorded calls" }).count()) === 0) await page.getByRole("button", { name: "Refresh" }).click();
  return page.getByRole("cell", { name: "hi once more" }).first().isVisible();
});
await page.getByLabel("Version", { exact: true }).selectOption("2");
await page.getByRole("button", { name: "Replay", exact: true }).click();
await page.getByText(/^[1-9]\d* calls replayed: 0 same/).waitFor();
await page.getByText("First difference").first().waitFor();
check((await page.locator(".compare .differs").allTextContents()).some((text) => text.includes("Welcome")), "the other answer is marked");

await tab("Live log").click();
await page.getByRole("list", { name: "Live log" }).getByText("Message").first().waitFor();
await tab("Tester").click();
await page.getByLabel("Write as the customer").fill("hi");
await page.getByLabel("Write as the customer").press("Enter");
await eventually("an answer without effects", async () => (await page.getByRole("log").textContent()).includes("Bot:"));
await tab("History").click();
await page.getByRole("cell", { name: "Rolled back" }).first().waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));

for (const colorScheme of ["light", "dark"]) {
  const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true, viewport: { width: 360, height: 740 } });
  const small = await logIn(context, "/plugins");
  for (const path of ["", "/greeter", "/greeter/trial", "/greeter/log", "/greeter/conversations", "/greeter/recordings", "/greeter/tester", "/greeter/events"]) {
    await small.goto(`${given.base}/console/plugins${path}`);
    await small.getByRole("heading", { level: 1 }).waitFor();
    await loaded(small);
    const found = await findings(small);
    check(found.length === 0, `${colorScheme} ${path}: ${found.join("\n")}`);
    check(await small.evaluate(() => document.documentElement.scrollWidth <= 360 && document.body.scrollWidth <= 360), `${path} is wider than the screen`);
  }
  await context.close();
}
await chromium.close();
console.log("ok");
