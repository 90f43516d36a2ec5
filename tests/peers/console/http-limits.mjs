// A developer activates a plugin with limits of its HTTP requests: higher ones than the operator's are refused at their fields.
import { readFileSync } from "node:fs";
import { browser, check, complaints, eventually, findings, given, loaded, logIn, upload } from "./stage.mjs";

const chromium = await browser();
// The judge needs more than the page's policy allows.
const page = await logIn(await chromium.newContext({ reducedMotion: "reduce", bypassCSP: true, viewport: { width: 360, height: 740 } }), "/plugins");
await upload(page, "Upload", "errands", { name: "errands.wasm", mimeType: "application/wasm", buffer: readFileSync(given.versions[0]) });
await page.getByRole("heading", { level: 1, name: "errands" }).waitFor();

const form = page.getByRole("dialog", { name: "Activate errands" });
const field = (name) => form.getByLabel(name, { exact: true });
await page.getByRole("button", { name: "Activate", exact: true }).first().click();
await field("Longest wait for a response (ms)").fill("600000");
await field("Requests of one call").fill("2");
await form.getByRole("button", { name: "Activate" }).click();
await eventually("the refusal at its field", async () => (await field("Longest wait for a response (ms)").getAttribute("aria-invalid")) === "true");
check((await form.locator(".field").filter({ hasText: "Longest wait" }).textContent()).includes("are allowed"), "the refusal has the limit of the operator");
check((await field("Requests of one call").getAttribute("aria-invalid")) === null, "the other limit is right");
for (const colorScheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme });
  const found = await findings(page);
  check(found.length === 0, `${colorScheme}: ${found.join("\n")}`);
  check(await page.evaluate(() => document.documentElement.scrollWidth <= 360 && document.body.scrollWidth <= 360), "the form is wider than the screen");
}

await field("Longest wait for a response (ms)").fill("1500");
await form.getByRole("button", { name: "Activate" }).click();
await form.waitFor({ state: "detached" });
await loaded(page);
await page.getByText("1,500 ms per request, 2 requests per call").waitFor();

// The next form has the limits in force; an empty field is the limit of the operator.
await page.getByRole("button", { name: "Change", exact: true }).click();
await form.getByRole("switch", { name: /^Keep configuration, hosts and limits/ }).click();
check((await field("Longest wait for a response (ms)").inputValue()) === "1500", "the limit in force");
await field("Longest wait for a response (ms)").fill("");
await form.getByRole("button", { name: "Activate" }).click();
await form.waitFor({ state: "detached" });
await page.getByText("2 requests per call", { exact: true }).waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
