// The quickstart of the README as a person clicks it: addresses for webhooks, a template, an SMS for a phone that is not on WhatsApp, a
// chatbot that is replaced while it runs, and an agent who answers after it.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Inbox, browser, check, complaints, eventually, given, logIn, phone, upload } from "./stage.mjs";

const told = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    told.push(JSON.parse(body));
    response.writeHead(200).end();
  });
});
await new Promise((ready) => receiver.listen(0, "127.0.0.1", ready));

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/webhooks");
const entry = (name) => page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true });
const answered = (text) => eventually(`"${text}" on the phone`, async () => {
  const { messages } = await phone("GET", `${given.phone}/inbox`);
  return messages.some((one) => one.text?.includes(text));
});
const write = (text) => phone("POST", `${given.phone}/messages`, { to: given.number, text });

// A receiver of webhooks.
await page.getByRole("button", { name: "Set up webhooks" }).click();
await page.getByLabel("Message status").fill(`http://127.0.0.1:${receiver.address().port}/status`);
await page.getByRole("button", { name: "Save" }).click();
await page.getByRole("region", { name: "Message status" }).getByText("/status").waitFor();

// A template for one recipient.
async function send(row, withSms) {
  await entry("Sends").click();
  await page.getByRole("link", { name: "New send" }).click();
  await page.getByRole("button", { name: "Fetch the templates from WhatsApp" }).click();
  await page.getByRole("button", { name: /^order_ready/ }).click();
  await page.getByLabel("Pasted recipients").fill(row);
  await page.getByLabel("Value of the button Open", { exact: true }).selectOption("2");
  await page.getByText("1 of 1 rows can be sent.").waitFor();
  if (withSms) await page.getByRole("checkbox", { name: "Send an SMS to recipients who are not on WhatsApp" }).check();
  await page.getByRole("button", { name: "Send 1 message" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("1 of 1 processed").waitFor();
}
const messages = page.getByRole("region", { name: "Messages", exact: true });
await send(`+${given.phone},Thandi,42`, false);
await answered("Hi Thandi, order 42 is ready.");
await phone("POST", `${given.phone}/read`, {});
await messages.getByText("Read", { exact: true }).waitFor();
await eventually("the webhook of the last state", () => told.some((one) => one.status === "READ"));

// An SMS, by a decision of a plugin.
const lost = `2784${given.phone.slice(-7)}`;
await phone("PUT", lost, { onWhatsApp: false });
await send(`+${lost},Sipho,43`, true);
await messages.getByRole("cell", { name: "SMS", exact: true }).waitFor();
await messages.getByRole("link", { name: `+${lost}` }).click();
const story = page.getByRole("region", { name: "Story of the message" });
await story.getByText("Decision of a plugin", { exact: true }).waitFor();
await story.getByText("sent the fallback").waitFor();

// A chatbot, replaced while it runs.
const [first, second] = given.versions.map((path, index) => ({ name: `greeter-${index}.wasm`, mimeType: "application/wasm", buffer: readFileSync(path) }));
async function activate(version) {
  await page.getByRole("button", { name: "Activate", exact: true }).first().click();
  const form = page.getByRole("dialog", { name: "Activate greeter" });
  await form.getByLabel("Version").selectOption(version);
  await form.getByLabel("Mode").selectOption("live");
  await form.getByRole("button", { name: "Activate" }).click();
  await form.waitFor({ state: "detached" });
}
await entry("Plugins").click();
await upload(page, "Upload", "greeter", first);
await page.getByRole("heading", { level: 1, name: "greeter" }).waitFor();
await activate("1");
await write("hi");
await answered("Hello");
await upload(page, "New version", "", second);
await activate("2");
await write("hi again");
await answered("Welcome");

// An agent takes the chat over and answers.
await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: /^Inbox/ }).click();
await page.getByRole("link", { name: /^All/ }).click();
const inbox = new Inbox(page);
await inbox.row("Welcome").click();
await inbox.sees("hi again");
await page.getByRole("button", { name: "Take this chat" }).click();
await inbox.field.fill("Here is a person.");
await inbox.field.press("Enter");
await answered("Here is a person.");

// The panel of the customer has the steps of the bot, without those of the agent.
const steps = page.getByRole("complementary", { name: "Customer" }).getByRole("list", { name: "Steps of the bot" }).getByRole("listitem");
await eventually("the last step of the bot", async () => (await steps.last().textContent())?.includes("Welcome"));
check((await steps.allTextContents()).some((one) => one.includes("hi again")), "the customer's message is a step");

check(complaints(page).length === 0, complaints(page).join("\n"));
receiver.close();
receiver.closeAllConnections();
await chromium.close();
console.log("ok");
