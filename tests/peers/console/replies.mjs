// An agent answers with files that are chosen, dropped and pasted, with a quote and with a reaction. The phone gets them.
import { Inbox, browser, check, complaints, eventually, given, judgeLooks, logIn, phone } from "./stage.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "which one?" });
const page = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/inbox/unassigned", given.agent);
const inbox = new Inbox(page);
await inbox.row("which one?").click();
await page.getByRole("button", { name: "Take this chat" }).click();
await inbox.field.waitFor();
const received = async (fits) => (await phone("GET", `${given.phone}/inbox`)).messages.filter(fits);
const file = (name) => page.locator(".attachments").getByRole("listitem").filter({ hasText: name });
const isUploaded = (name) => file(name).getByText(/^\d+ kB$/).waitFor();

// Gives a picture to an element, as a drag or a paste of the browser does.
function give(target, type, name) {
  return target.evaluate((element, [type, name, base64]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type: "image/png" }));
    const how = { bubbles: true, cancelable: true };
    element.dispatchEvent(type === "paste" ? new ClipboardEvent(type, { ...how, clipboardData: transfer }) : new DragEvent(type, { ...how, dataTransfer: transfer }));
  }, [type, name, PIXEL]);
}

// Three files, of which one is taken back. While a file is uploaded, it has a preview and a progress bar.
const UPLOADS = "**/v2/messages/media";
let release = () => {};
const held = new Promise((resolve) => (release = resolve));
await page.route(UPLOADS, async (route) => {
  await held;
  await route.continue();
});
await page.locator(".composer input[type=file]").setInputFiles({ name: "chosen.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") });
await file("chosen.png").getByRole("progressbar", { name: /chosen\.png/ }).waitFor();
await eventually("the preview", () => file("chosen.png").locator("img").evaluate((one) => one.naturalWidth === 1));
release();
await isUploaded("chosen.png");
await page.unroute(UPLOADS);
await give(inbox.log, "dragover", "dropped.png");
await page.getByText("Drop files here to send them").waitFor();
await give(inbox.log, "drop", "dropped.png");
await isUploaded("dropped.png");
await give(inbox.field, "paste", "pasted.png");
await isUploaded("pasted.png");
await judgeLooks(page, "a reply with files");
await page.getByRole("button", { name: "Remove pasted.png" }).click();
await inbox.field.fill("Here are two.");
await inbox.field.press("Enter");
await eventually("both pictures on the phone", async () => (await received((one) => one.type === "image")).length === 2);
check((await received((one) => one.text === "Here are two.")).length === 1, "the text came once");
check((await file("").count()) === 0, "the files left the field");

// A quote, then a reaction.
// The quote has the same text.
const actions = inbox.message("which one?").first().getByRole("button", { name: "Actions for this message" });
await actions.click();
await page.getByRole("menuitem", { name: "Quote" }).click();
await inbox.field.fill("This one.");
await inbox.field.press("Enter");
await eventually("the quote on the phone", async () => (await received((one) => one.text === "This one." && Boolean(one.body?.context?.message_id))).length === 1);
await inbox.message("This one.").getByText("which one?").waitFor();
await actions.click();
await page.getByRole("menuitem", { name: "👍" }).waitFor();
check((await page.getByRole("menuitem", { name: "Remove reaction" }).count()) === 0, "a reaction that is not there can be removed");
await page.getByRole("menuitem", { name: "👍" }).click();
await eventually("the reaction on the phone", async () => (await received((one) => one.type === "reaction")).length === 1);
await page.getByRole("img", { name: "Reactions" }).getByText("👍").waitFor();
await actions.click();
await page.getByRole("menuitem", { name: "Remove reaction" }).waitFor();

check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
