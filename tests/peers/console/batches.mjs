// A send of more than one request from a number of the tier 1,000 is checked as a whole. Then a send whose message the provider refuses
// for now is paused, resumed and cancelled.
import { browser, check, eventually, given, logIn, phone } from "./stage.mjs";

const chromium = await browser();

// The last recipient is beyond the tier.
const wide = await logIn(await chromium.newContext(), "/sends");
await wide.getByRole("link", { name: "New send" }).click();
await wide.getByRole("button", { name: "Fetch the templates from WhatsApp" }).click();
await wide.getByRole("button", { name: /^order_ready/ }).click();
const rows = Array.from({ length: 1001 }, (_, index) => `Thandi;${27841000000 + index};42`);
const csv = ["name;phone;order", ...rows, ""].join("\r\n");
await wide.locator('input[type="file"]').setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
await wide.getByLabel("Value of the button Open", { exact: true }).selectOption({ label: "order (42)" });
await wide.getByText("1001 of 1001 rows can be sent.").waitFor();
await wide.getByRole("button", { name: "Send 1001 messages" }).click();
await wide.getByText("1000 of 1001 rows can be sent. 1 row has a fault.").waitFor();
await wide.getByRole("cell", { name: "27841001000", exact: true }).waitFor();
await wide.getByRole("cell", { name: /1000 different customers in 24 hours/ }).waitFor();
await wide.getByRole("button", { name: "Send 1000 messages" }).waitFor();
await wide.context().close();

const page = await logIn(await chromium.newContext(), "/sends");
const button = (name) => page.getByRole("button", { name, exact: true });
const state = (name) => page.locator(".batch-facts").getByText(name, { exact: true }).first();
const received = async (text) => (await phone("GET", `${given.phone}/inbox`)).messages.filter((one) => one.text?.includes(text)).length;
// While the provider has a fault, the message is tried again and again.
const setFault = (isThere) => phone("PUT", given.phone, { rejectWith: isThere ? { status: 500, code: 131000 } : null });

async function send(order) {
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Sends", exact: true }).click();
  await page.getByRole("link", { name: "New send" }).click();
  await page.getByRole("button", { name: "Fetch the templates from WhatsApp" }).click();
  await page.getByRole("button", { name: /^order_ready/ }).click();
  await page.getByLabel("Pasted recipients").fill(`+${given.phone},Thandi,${order}`);
  await page.getByLabel("Value of the button Open", { exact: true }).selectOption("2");
  await page.getByText("1 of 1 rows can be sent.").waitFor();
  await page.getByRole("button", { name: "Send 1 message" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
}

// Paused, nothing goes out when the provider is well again. Resumed, the message goes out once.
await setFault(true);
await send("42");
await page.getByText("0 of 1 processed").waitFor();
await state("Runs").waitFor();
await button("Pause").click();
await page.getByText("The send is paused.").waitFor();
await state("Paused").waitFor();
check((await button("Pause").count()) === 0, "a paused send can be paused");
await setFault(false);
await page.reload();
await state("Paused").waitFor();
await page.getByText("0 of 1 processed").waitFor();
check((await received("order 42")) === 0, "a paused send goes on");
await button("Resume").click();
await page.getByText("The send continues.").waitFor();
await page.getByText("1 of 1 processed").waitFor();
await eventually("the message on the phone", async () => (await received("order 42")) === 1);
await state("Done").waitFor();
check((await button("Cancel the rest").count()) === 0, "a finished send can be cancelled");

// Cancelled after a question, the message fails and never goes out.
await setFault(true);
await send("43");
await page.getByText("0 of 1 processed").waitFor();
const question = page.getByRole("dialog", { name: "Cancel the rest of this send?" });
await button("Cancel the rest").click();
await question.getByRole("button", { name: "Cancel", exact: true }).click();
await question.waitFor({ state: "detached" });
check(await state("Runs").isVisible(), "the send is cancelled without consent");
await button("Cancel the rest").click();
await question.getByRole("button", { name: "Cancel the rest", exact: true }).click();
await page.getByText("The rest is cancelled.").waitFor();
await state("Cancelled").waitFor();
await setFault(false);
await page.getByRole("region", { name: "Messages", exact: true }).getByRole("row").filter({ hasText: "900410" }).waitFor();
for (const name of ["Pause", "Resume", "Cancel the rest"]) check((await button(name).count()) === 0, `a cancelled send has the button ${name}`);
await send("44");
await page.getByText("1 of 1 processed").waitFor();
await eventually("the next message on the phone", async () => (await received("order 44")) === 1);
check((await received("order 43")) === 0, "a cancelled message went out");

await chromium.close();
console.log("ok");
