// A send of more than one request from a number of the tier 1,000: the last recipient is beyond the tier.
import { browser, check, complaints, logIn } from "./stage.mjs";

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/sends");
await page.getByRole("link", { name: "New send" }).click();
await page.getByRole("button", { name: "Fetch the templates from WhatsApp" }).click();
await page.getByRole("button", { name: /^order_ready/ }).click();

const rows = Array.from({ length: 1001 }, (_, index) => `Thandi;${27841000000 + index};42`);
const csv = ["name;phone;order", ...rows, ""].join("\r\n");
await page.locator('input[type="file"]').setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
await page.getByLabel("Value of the button Open", { exact: true }).selectOption({ label: "order (42)" });
await page.getByText("1001 of 1001 rows can be sent.").waitFor();

await page.getByRole("button", { name: "Send 1001 messages" }).click();
await page.getByText("1000 of 1001 rows can be sent. 1 row has a fault.").waitFor();
await page.getByRole("cell", { name: "27841001000", exact: true }).waitFor();
await page.getByRole("cell", { name: /1000 different customers in 24 hours/ }).waitFor();
await page.getByRole("button", { name: "Send 1000 messages" }).waitFor();

check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
