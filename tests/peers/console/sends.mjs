// A send from a CSV file: the mapping, the check with its faults, looks at other pages before and while it is sent, the progress, its
// messages with the reason of a failure, and the story of one message.
import { browser, check, complaints, eventually, findings, given, judgeLooks, loaded, logIn, phone } from "./stage.mjs";

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/sends");
await page.getByRole("link", { name: "New send" }).click();
await page.getByRole("button", { name: "Fetch the templates from WhatsApp" }).click();
await page.getByRole("button", { name: /^order_ready/ }).click();

// Known to the network, but not to WhatsApp.
const lost = `2784${given.phone.slice(-7)}`;
await phone("PUT", lost, { onWhatsApp: false });
const csv = ["name;phone;order;ctId", `"Thandi; the first";+${given.phone};42;csv-1`, `Twice;${given.phone};43;csv-2`, `Lindiwe;+${lost};46;csv-5`, "Nobody;12;44;csv-3", `Ourselves;+${given.number};45;csv-4`, ""].join("\r\n");
await page.locator('input[type="file"]').setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
await page.getByLabel("Value of the button Open", { exact: true }).selectOption({ label: "order (42)" });
await page.getByText("3 of 5 rows can be sent. 2 rows have faults.").waitFor();
await page.getByRole("cell", { name: "no phone number" }).waitFor();
await page.getByRole("cell", { name: "the number stands in an earlier row" }).waitFor();
await page.getByRole("region", { name: "Preview" }).getByText("Hi Thandi; the first, order 42 is ready.").waitFor();
// It is still prepared after a look at another page.
await page.getByRole("link", { name: "Webhooks", exact: true }).click();
await page.getByText("No webhooks yet").waitFor();
await page.goBack();
await page.getByText("3 of 5 rows can be sent. 2 rows have faults.").waitFor();
check((await page.getByLabel("Value of the button Open", { exact: true }).inputValue()) === "2", "the mapping is lost");
const { messages: none } = await phone("GET", `${given.phone}/inbox`);
check(none.length === 0, "nothing is sent before the confirmation");

// The server knows more than the page.
await page.getByRole("button", { name: "Send 3 messages" }).click();
await page.getByRole("cell", { name: "the recipient is the sender itself" }).waitFor();
await page.getByText("2 of 5 rows can be sent. 3 rows have faults.").waitFor();
// It goes on while another page is shown.
let goOn = () => {};
const held = new Promise((resolve) => (goOn = resolve));
await page.route("**/v2/channels/whatsapp", async (route) => {
  await held;
  await route.continue();
});
await page.getByRole("button", { name: "Send 2 messages" }).click();
await page.getByRole("button", { name: "Send now" }).click();
await page.getByText("0 of 2 are stored").waitFor();
await page.getByRole("button", { name: "All sends" }).click();
await page.getByRole("link", { name: "Show", exact: true }).waitFor();
goOn();
await page.getByText("All is stored and goes out.").waitFor();
await page.getByRole("row").filter({ hasText: "order_ready" }).getByRole("button").click();
await page.getByText("2 of 2 processed").waitFor();
await eventually("the message on the phone", async () => {
  const { messages } = await phone("GET", `${given.phone}/inbox`);
  return messages.some((one) => one.text?.includes("Thandi; the first"));
});

const batch = new URL(page.url()).pathname.replace("/console", "");

// The messages of the batch. A failed one has its reason and leads to its story.
const state = page.getByLabel("State of the messages");
await eventually("the failure among the states", async () => (await state.locator("option").allTextContents()).includes("Failed (1)"));
await state.selectOption("FAILED");
const messages = page.getByRole("region", { name: "Messages", exact: true });
await messages.getByRole("row").filter({ hasText: "131026" }).waitFor();
await eventually("the failed message alone", async () => (await messages.getByRole("row").count()) === 2);
await messages.getByRole("link", { name: `+${lost}` }).click();
await page.getByRole("heading", { name: `+${lost}` }).waitFor();
await page.goBack();
await eventually("the list as it was left", async () => (await state.inputValue()) === "FAILED");

await page.getByRole("button", { name: "Download the report" }).click();
const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "CSV" }).click()]);
check(file.suggestedFilename().endsWith(".csv"), "the report is a file");

// Its story, found by the client's own id.
await page.getByRole("link", { name: "Messages", exact: true }).click();
await page.getByRole("searchbox", { name: "Find a message" }).fill("csv-1");
const story = page.getByRole("region", { name: "Story of the message" });
for (const event of ["Request", "Provider call", "Receipt"]) await story.getByText(event, { exact: true }).first().waitFor();
await eventually("the address of the message", () => /\/messages\/[0-9a-f-]{36}/.test(page.url()));
const compact = await story.getByRole("listitem").count();
await story.getByRole("switch", { name: "All details" }).click();
await story.getByText("wamid.").first().waitFor();
check((await story.getByRole("listitem").count()) >= compact, "the full view has all events");
const found = new URL(page.url()).pathname.replace("/console", "");

// The next send with such columns begins with the mapping of the last one. One template gets a header with a value.
await page.route(/\/WhatsApp\/templates\?/, async (route) => {
  const response = await route.fetch();
  const json = await response.json();
  json.content.find((one) => one.name === "welcome")?.components.unshift({ type: "HEADER", format: "TEXT", text: "News of {{1}}" });
  await route.fulfill({ response, json });
});
await page.getByRole("link", { name: "Sends", exact: true }).click();
await page.getByRole("link", { name: "New send" }).click();
await page.getByRole("button", { name: /^order_ready/ }).click();
await page.locator('input[type="file"]').setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
await eventually("the former mapping", async () => (await page.getByLabel("Value of the button Open", { exact: true }).inputValue()) === "2");

// A value that is missing is named with its place: the card, or the header.
const give = (rows) => page.locator('input[type="file"]').setInputFiles({ name: "more.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\r\n")) });
await page.getByRole("button", { name: "Another template" }).click();
await page.getByRole("button", { name: /^summer_carousel/ }).click();
await give(["phone;file;range;other file;other range", `+${given.phone};https://shop.example/blue.png;blue;https://shop.example/red.png;`, `+${lost};;blue;https://shop.example/red.png;red`]);
await page.getByRole("cell", { name: "Card 2: Value of {{1}} is missing", exact: true }).waitFor();
await page.getByRole("cell", { name: "Card 1: Address of the file (image) is missing", exact: true }).waitFor();
await page.getByRole("button", { name: "Another template" }).click();
await page.getByRole("button", { name: /^welcome/ }).click();
await give(["phone", `+${given.phone}`]);
await page.getByRole("cell", { name: "Value of {{1}} in the header is missing", exact: true }).waitFor();
await page.getByLabel("Text: Value of {{1}} in the header", { exact: true }).fill("Friday");
await page.getByText("1 of 1 rows can be sent.").waitFor();

// A search without a result asks for no choice. The command palette finds a message from any page.
await page.getByRole("link", { name: "Messages", exact: true }).click();
await page.getByRole("searchbox", { name: "Find a message" }).fill("no such message");
await page.getByText("No message was found").waitFor();
check((await page.getByText("Choose a message").count()) === 0, "there is nothing to choose");
await page.getByRole("link", { name: "Webhooks", exact: true }).click();
await page.getByText("No webhooks yet").waitFor();
await page.keyboard.press("Control+k");
await page.getByRole("combobox", { name: "Command palette" }).fill("csv-1");
await page.getByRole("option").filter({ hasText: "csv-1" }).click();
await page.getByRole("heading", { name: `+${given.phone}` }).waitFor();

check(complaints(page).length === 0, complaints(page).join("\n"));

// The page of the batch, judged by axe-core in light and dark, and at 360 pixels.
for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
  const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true, viewport: { width, height: 740 } });
  const judged = await logIn(context, batch);
  await judged.getByRole("region", { name: "Messages", exact: true }).waitFor();
  await loaded(judged);
  const found = await findings(judged);
  check(found.length === 0, `${colorScheme}: ${found.join("\n")}`);
  check(await judged.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page of a batch is wider than the screen");
  await context.close();
}
const told = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), `${found}?view=full`);
await told.getByRole("region", { name: "Story of the message" }).getByText("wamid.").first().waitFor();
await judgeLooks(told, "the story of a message");

// The list of the sends, and a prepared send: its mapping, its check with faults, and its preview.
await told.getByRole("link", { name: "Sends", exact: true }).click();
await told.getByRole("row").filter({ hasText: "order_ready" }).waitFor();
await judgeLooks(told, "the list of sends");
await told.getByRole("link", { name: "New send" }).click();
await told.getByRole("button", { name: /^order_ready/ }).click();
await told.locator('input[type="file"]').setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
await told.getByLabel("Value of the button Open", { exact: true }).selectOption({ label: "order (42)" });
await told.getByText("3 of 5 rows can be sent. 2 rows have faults.").waitFor();
await told.getByRole("region", { name: "Preview" }).getByText("Hi Thandi; the first, order 42 is ready.").waitFor();
await judgeLooks(told, "a prepared send");
await chromium.close();
console.log("ok");
