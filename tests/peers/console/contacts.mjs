// A user merges two contacts of one person, sees one entry with the tags of both, and undoes it.
import { browser, check, complaints, eventually, findings, given, judgeLooks, logIn } from "./stage.mjs";

const chromium = await browser();
const page = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/contacts", given.agent);
const row = (name) => page.getByRole("row").filter({ hasText: name });
const dialog = (name) => page.getByRole("dialog", { name, exact: true });

async function add(name, number, tag) {
  await page.getByRole("button", { name: "New contact" }).click();
  await dialog("New contact").getByLabel("Name").fill(name);
  await dialog("New contact").getByLabel("Number").fill(number);
  await dialog("New contact").getByRole("button", { name: "Save" }).click();
  await row(name).getByRole("button").click();
  await dialog(name).getByLabel("Add a tag").fill(tag);
  await dialog(name).getByLabel("Add a tag").press("Enter");
  await dialog(name).getByRole("button", { name: `Remove the tag ${tag}` }).waitFor();
  await dialog(name).getByRole("button", { name: "Close" }).click();
}
await add("Thandi", "+27820000001", "vip");
await add("Mokoena", "+27820000002", "late payer");

await row("Thandi").getByRole("button").click();
await dialog("Thandi").getByRole("button", { name: "Merge with another contact" }).click();
const merge = dialog("Merge with another contact");
await merge.getByRole("button", { name: /Mokoena/ }).click();
const found = await findings(page);
check(found.length === 0, found.join("\n"));
await merge.getByRole("button", { name: "Merge into Thandi" }).click();
await dialog("Thandi").getByRole("button", { name: "Remove the tag late payer" }).waitFor();
await dialog("Thandi").getByText("Merged contacts").waitFor();
await dialog("Thandi").getByRole("button", { name: "Close" }).click();
await eventually("one entry", async () => (await row("Mokoena").count()) === 0 && (await row("Thandi").count()) === 1);

await row("Thandi").getByRole("button").click();
await dialog("Thandi").getByRole("button", { name: "Undo the merge" }).click();
await eventually("the tag to go", async () => (await dialog("Thandi").getByRole("button", { name: "Remove the tag late payer" }).count()) === 0);
await dialog("Thandi").getByRole("button", { name: "Remove the tag vip" }).waitFor();
await dialog("Thandi").getByRole("button", { name: "Close" }).click();
await row("Mokoena").getByRole("button").click();
await dialog("Mokoena").getByRole("button", { name: "Remove the tag late payer" }).waitFor();

// Contacts from a file: the preview has the changes and the wrong row, and nothing is stored before the import.
await dialog("Mokoena").getByRole("button", { name: "Close" }).click();
const csv = ["fullName,phoneNumber,tags", "Sipho Dube,+27820000009,vip;news", "Nobody,12,"].join("\n");
async function preview() {
  await page.getByRole("button", { name: "Import from CSV" }).click();
  await dialog("Import from CSV").getByLabel("CSV file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await dialog("Import from CSV").getByText("1 row with a fault").waitFor();
  await dialog("Import from CSV").getByRole("cell", { name: "Sipho Dube" }).waitFor();
}
await preview();
await judgeLooks(page, "the preview of an import");
// The page loads the contacts again when the dialog is closed.
const read = page.waitForResponse((answer) => answer.request().method() === "GET" && new URL(answer.url()).pathname.endsWith("/WhatsApp/contacts"));
await dialog("Import from CSV").getByRole("button", { name: "Cancel" }).click();
const stored = (await (await read).json()).content.map((one) => one.fullName);
check(stored.sort().join() === "Mokoena,Thandi", `stored before the import: ${stored}`);
await preview();
await dialog("Import from CSV").getByRole("button", { name: "Import 1 contact" }).click();
await dialog("Import from CSV").waitFor({ state: "detached" });
await row("Sipho Dube").getByText("+27820000009").waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
