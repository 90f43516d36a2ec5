// An author activates a version for one inbox by the form of its schema, with a fault at its field, changes configuration and hosts, and
// rolls back after a sentence that says what changes.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { browser, check, eventually, given, judgeLooks, logIn, phone, upload } from "./stage.mjs";

// The next version differs by an empty note at its end.
const [first] = given.versions;
const second = `${first}.next.wasm`;
writeFileSync(second, Buffer.concat([readFileSync(first), Buffer.from([0, 2, 1, 120])]));

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/plugins");
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/plugins");
const dialog = (name, on = page) => on.getByRole("dialog", { name });
const place = page.getByRole("article", { name: given.number });
const answers = async (text, times = 1) => {
  await phone("POST", `${given.phone}/messages`, { to: given.number, text: "length" });
  await eventually(`"${text}" on the phone`, async () => (await phone("GET", `${given.phone}/inbox`)).messages.filter((one) => one.text === text).length === times);
};

await upload(page, "Upload", "keeper", first);
await page.getByRole("heading", { level: 1, name: "keeper" }).waitFor();
await upload(page, "New version", "", second);
rmSync(second);

// The form of the schema, for one inbox, with a value that does not fit.
async function begin(on, open) {
  await open.click();
  const form = dialog("Activate keeper", on);
  await form.getByLabel("Inbox").selectOption({ label: given.number });
  return form;
}
const secret = (form) => form.getByLabel("Api key", { exact: true });
for (const on of [judged, page]) {
  if (on === judged) await on.goto(page.url());
  const form = await begin(on, on.getByRole("button", { name: "Activate v1" }));
  await secret(form).fill("short");
  await form.getByLabel("Shop", { exact: true }).fill("first shop");
  await form.getByLabel("Allowed hosts").fill("a.example\nshared.example");
  await form.getByRole("button", { name: "Activate", exact: true }).click();
  await eventually("the fault at its field", async () => (await secret(form).getAttribute("aria-invalid")) === "true");
  const fault = await on.evaluate((ids) => ids.split(" ").map((id) => document.getElementById(id)?.textContent).join(" "), await secret(form).getAttribute("aria-describedby"));
  check(/8/.test(fault), `the fault of the field: ${fault}`);
  check((await form.getByLabel("Shop", { exact: true }).getAttribute("aria-invalid")) !== "true", "a good field has a fault");
}
await judgeLooks(judged, "an activation with a schema and a fault");
const form = dialog("Activate keeper");
await secret(form).fill("long enough");
await form.getByRole("button", { name: "Activate", exact: true }).click();
await form.waitFor({ state: "detached" });
await place.getByText("a.example, shared.example").waitFor();
check((await page.getByRole("article").count()) === 1, "there is another place");
check(!(await page.locator("#main").textContent()).includes("long enough"), "the page shows the secret");
await answers("11 characters for first shop");

// The next version has another configuration and other hosts. The secret is written again.
await begin(page, page.getByRole("button", { name: "Activate v2" }));
await form.getByRole("switch", { name: "Keep configuration, hosts and limits (v1)" }).click();
await form.getByText("Secrets are not shown. Write them again: apiKey").waitFor();
check((await form.getByLabel("Shop", { exact: true }).inputValue()) === "first shop", "the form begins with the present configuration");
await secret(form).fill("longer than that");
await form.getByLabel("Shop", { exact: true }).fill("second shop");
await form.getByLabel("Allowed hosts").fill("shared.example\nb.example");
await form.getByRole("button", { name: "Activate", exact: true }).click();
await form.waitFor({ state: "detached" });
await place.getByText("shared.example, b.example").waitFor();
await answers("16 characters for second shop");

// The rollback of the live version says what changes at this inbox, and changes just that.
const rollback = dialog("Roll back keeper");
await place.getByRole("button", { name: `Actions for ${given.number}` }).click();
await page.getByRole("menuitem", { name: "Roll back" }).click();
const said = [
  `${given.number}: keeper v2 is replaced by keeper v1.`, "These fields of the configuration change: shop.", "Secrets get their former values back: apiKey.",
  "Requests to these hosts are no longer possible: b.example.", "Requests to these hosts become possible: a.example.",
].join(" ");
const sentence = rollback.locator(".rollback-sentence");
await sentence.waitFor();
check((await sentence.textContent()) === said, `the sentence is ${await sentence.textContent()}`);
check((await rollback.getByLabel("Inbox").locator("option:checked").textContent()) === given.number, "the inbox of the rollback");
const sides = async (title) => rollback.getByRole("region", { name: title, exact: true }).locator(".differs").allTextContents();
check((await sides("Configuration now")).join().includes("second shop") && (await sides("Configuration after it")).join().includes("first shop"), "both configurations stand side by side");
await judged.goto(page.url());
await judged.getByRole("button", { name: `Actions for ${given.number}` }).click();
await judged.getByRole("menuitem", { name: "Roll back" }).click();
await judged.locator(".rollback-sentence").waitFor();
await judgeLooks(judged, "a rollback");
await rollback.getByRole("button", { name: "Roll back", exact: true }).click();
await rollback.waitFor({ state: "detached" });
await place.getByText("a.example, shared.example").waitFor();
await answers("11 characters for first shop", 2);

// A place without an activation of its own has nothing to go back to.
await page.getByRole("button", { name: "Roll back", exact: true }).click();
await rollback.getByRole("alert").waitFor();
check(await rollback.getByRole("button", { name: "Roll back", exact: true }).isDisabled(), "a rollback without a former activation");
await chromium.close();
console.log("ok");
