// The work of an agent and a supervisor in a chat by keys alone: note, canned reply, quote, reaction, template, file, transfer, whisper,
// closing and reopening. The overlay lists the keys in both languages, and a field takes them as letters.
import { Inbox, api, browser, check, complaints, eventually, focused, given, logIn, phone, press, tabTo } from "./stage.mjs";

const chromium = await browser();
await api("POST", "/messaging-service/WhatsApp/templates/sync");
await api("POST", "/chat-service/api/v2/canned-replies", { shortcut: "hours", text: "We are open until five." });
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "which one?" });
const page = await logIn(await chromium.newContext(), "/inbox/unassigned");
const inbox = new Inbox(page);
const note = page.getByRole("textbox", { name: "Write a note" });
const dialog = (name) => page.getByRole("dialog", { name, exact: true });
const received = async (fits) => (await phone("GET", `${given.phone}/inbox`)).messages.filter(fits);
const arrives = (what, fits) => eventually(`${what} on the phone`, async () => (await received(fits)).length === 1);
async function lists(...texts) {
  await press(page, "?");
  const help = page.getByRole("dialog");
  await help.waitFor();
  const said = await help.textContent();
  for (const text of texts) check(said.includes(text), `the overlay lacks "${text}": ${said}`);
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
}

await inbox.row("which one?").waitFor();
await press(page, "j");
await inbox.sees("which one?");
await press(page, "t");
await inbox.field.waitFor();
await lists("Write a note", "Send a template", "Attach files", "Write a reply");

// A note. In the field the same keys are letters.
await press(page, "n");
await press(note, ..."mnu: a number");
check((await note.inputValue()) === "mnu: a number" && (await page.getByRole("dialog").count()) === 0, "a key works in a field");
await press(note, "Enter");
await inbox.sees("mnu: a number");
await press(note, "Escape");

// Back to the reply, with a canned one.
await press(page, "r");
await press(inbox.field, ..."/hours");
await page.getByRole("option", { name: /hours/ }).waitFor();
await press(inbox.field, "Enter");
await eventually("the canned reply", async () => (await inbox.field.inputValue()) === "We are open until five.");
await press(inbox.field, "Enter");
await arrives("the canned reply", (one) => one.text === "We are open until five.");
await press(inbox.field, "Escape");

// A note begun, then a quote: it becomes a reply.
await press(page, "n");
await press(note, "Escape");
const actions = inbox.message("which one?").first().getByRole("button", { name: "Actions for this message" });
await tabTo(actions, "Shift+Tab");
await press(actions, "Enter");
await press(page.getByRole("menuitem", { name: "Quote" }), "Enter");
await press(inbox.field, ..."This one.", "Enter");
await arrives("the quote", (one) => one.text === "This one." && Boolean(one.body?.context?.message_id));
await press(inbox.field, "Escape");
await tabTo(actions, "Shift+Tab");
await press(actions, "Enter");
const thumb = page.getByRole("menuitem", { name: "👍" });
await tabTo(thumb, "ArrowDown");
await press(thumb, "Enter");
await arrives("the reaction", (one) => one.type === "reaction");

// A template with its values.
await press(page, "m");
const template = dialog("Send a template").getByRole("button", { name: /order_ready/ });
await tabTo(template);
await press(template, "Enter");
await press(dialog("order_ready").getByLabel("Value of 1"), ..."Thandi", "Tab", ..."42", "Tab", ..."42", "Enter");
await arrives("the template", (one) => one.type === "template");
await dialog("order_ready").waitFor({ state: "detached" });

// A file; the dialog of the system is not part of the page.
const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press(page, "u")]);
await chooser.setFiles({ name: "bill.png", mimeType: "image/png", buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64") });
await page.locator(".attachments").getByText(/^\d+ kB$/).waitFor();
await press(page, "r");
await press(inbox.field, "Enter");
await arrives("the file", (one) => one.type === "image");
await press(inbox.field, "Escape");

// To a colleague, with a whisper, and back.
await press(page, "a");
const colleague = dialog("Assign").getByRole("button", { name: /AGENT/ });
await tabTo(colleague);
await press(colleague, "Enter");
await page.getByText("has this chat.").waitFor();
const whisper = page.getByRole("button", { name: "Whisper", exact: true });
await tabTo(whisper);
await press(whisper, "Enter");
await tabTo(note);
await press(note, ..."Offer a discount.", "Enter");
await inbox.message("Offer a discount.").getByText("to the agent only").waitFor();
await press(note, "Escape");
await press(page, "t");
await inbox.field.waitFor();
check((await received((one) => one.text?.includes("discount") || one.text?.includes("mnu"))).length === 0, "the customer got a note or a whisper");

// Closed and reopened twice: with an answer, and without one after a question.
await press(page, "e");
await page.getByRole("button", { name: "Reopen" }).first().waitFor();
await inbox.field.waitFor({ state: "detached" });
await press(page, "o");
await inbox.field.waitFor();
await press(page, "x");
await press(dialog("Close this chat?").getByRole("button", { name: "Close without an answer" }), "Enter");
await inbox.field.waitFor({ state: "detached" });
await press(page, "o");
await inbox.field.waitFor();

// In another language.
const settings = page.getByRole("button", { name: /account and settings/ });
await tabTo(settings);
await press(settings, "Enter");
const german = page.getByRole("menuitemradio", { name: "Deutsch" });
await tabTo(german, "ArrowDown");
await press(german, "Enter");
await eventually("German", async () => (await page.evaluate(() => document.documentElement.lang)) === "de");
await lists("Notiz schreiben", "Vorlage senden", "Dateien anhängen", "Antwort schreiben");
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
