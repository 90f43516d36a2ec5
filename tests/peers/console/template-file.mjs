// An agent uploads the file of a template's header, and the files of the cards of a carousel. The customer gets them.
import { Inbox, browser, check, complaints, eventually, given, judgeLooks, logIn, phone } from "./stage.mjs";

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const picture = (name) => ({ name, mimeType: "image/png", buffer: PIXEL });
const invoice = { name: "Invoice A-17.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n%%EOF\n") };

const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "where is my invoice?" });
const page = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/inbox/unassigned", given.agent);
const inbox = new Inbox(page);
await inbox.row("where is my invoice?").click();
await page.getByRole("button", { name: "Take this chat" }).click();
await inbox.field.waitFor();

// The components of a template as the phone got it.
async function sent(name) {
  const isThat = (one) => one.type === "template" && one.body.template.name === name;
  const found = await eventually(`${name} on the phone`, async () => (await phone("GET", `${given.phone}/inbox`)).messages.find(isThat));
  return found.body.template.components;
}

const list = page.getByRole("dialog", { name: "Send a template" });
async function choose(name) {
  await page.getByRole("button", { name: "Send a template" }).click();
  await list.getByRole("button", { name: new RegExp(`^${name}`) }).waitFor();
  if (name === "invoice") await judgeLooks(page, "the list of templates");
  await list.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  return page.getByRole("dialog", { name, exact: true });
}

// A file of another kind is not sent, one of the right kind goes under its own name.
const form = await choose("invoice");
const send = form.getByRole("button", { name: "Send", exact: true });
const header = form.getByRole("group", { name: "Address of the file (document)" });
const chosen = (part) => part.getByText(/^\d+ kB$/);
await form.getByLabel("Address of the file (document)").fill("https://shop.example/of-another-customer.pdf");
await form.getByLabel("Value of 1").fill("A-17");
await judgeLooks(page, "the values of a template");
await form.locator("input[type=file]").setInputFiles(picture("not-a-document.png"));
await header.getByRole("alert").getByText("The template needs a file of another kind: document.").waitFor();
check(await send.isDisabled(), "a picture can be sent as a document");
await judgeLooks(page, "a file of another kind");
await header.getByRole("button", { name: "Remove not-a-document.png" }).click();
check((await form.getByLabel("Address of the file (document)").inputValue()) === "", "the former address came back");
await form.locator("input[type=file]").setInputFiles(invoice);
await chosen(header).waitFor();
await judgeLooks(page, "an uploaded file of a template");
await send.click();
await form.waitFor({ state: "detached" });
await inbox.sees("Your invoice A-17 is attached.");
const { document } = (await sent("invoice"))[0].parameters[0];
check(document.id && document.filename === invoice.name && !document.link, `the document of the phone: ${JSON.stringify(document)}`);
const tick = inbox.message("Your invoice A-17 is attached.").locator("[data-status]");
await eventually("the receipt of the document", async () => (await tick.getAttribute("data-status")) === "DELIVERED");

// Each card has a file of its own: one is uploaded, the other has an address.
const carousel = await choose("summer_carousel");
await carousel.locator("input[type=file]").first().setInputFiles(picture("blue.png"));
await chosen(carousel.getByRole("group", { name: "Card 1: Address of the file (image)" })).waitFor();
await carousel.getByLabel("Card 2: Address of the file (image)").fill("https://shop.example/red.png");
for (const [number, colour] of [[1, "blue"], [2, "red"]]) await carousel.getByLabel(`Card ${number}: Value of 1`).fill(colour);
await judgeLooks(page, "a carousel with an uploaded file");
await carousel.getByRole("button", { name: "Send", exact: true }).click();
await carousel.waitFor({ state: "detached" });
const pictures = (await sent("summer_carousel"))[0].cards.map((card) => card.components[0].parameters[0].image);
check(pictures[0].id && pictures[1].link === "https://shop.example/red.png", `the pictures of the phone: ${JSON.stringify(pictures)}`);
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
