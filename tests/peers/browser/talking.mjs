// Two visitors and a bot: words, choices, files, tabs, a reload, a cut connection, a rating, a hand-over.
import { Widget, browser, check, eventually, given, visit } from "./stage.mjs";

const chromium = await browser();
const at = await chromium.newContext();
const page = await visit(at, given.page);
const ann = await new Widget(page).open();

// Words are words.
const markup = 'say <b onclick="alert(1)">bold</b><img src=x onerror=alert(1)>';
await ann.write(markup);
await ann.sees(markup);
await ann.sees(markup.slice(4));
check((await ann.log.locator("ol b, ol img, ol script").count()) === 0, "text became elements");

// Choices.
await ann.write("buttons");
await ann.log.getByRole("button", { name: "Yes" }).click();
await ann.sees("got choice yes-id");
await ann.write("list");
await ann.log.getByRole("button", { name: "Blue" }).click();
await ann.sees("got choice blue-id");

// Another visitor has another chat.
const elsewhere = await chromium.newContext();
const other = await new Widget(await visit(elsewhere, given.page)).open();
await other.write("count");
await other.sees("count 1");
await ann.write("count");
await ann.sees("count 1");
await other.write("count");
await other.sees("count 2");
check(!(await ann.texts()).includes("count 2"), "the words of another visitor");

// Another tab, and a reload, show the same.
const tab = await new Widget(await visit(at, given.page)).open();
await tab.sees("got choice blue-id");
await tab.write("say from the other tab");
await ann.sees("from the other tab");
await page.reload();
await ann.open();
await ann.sees("from the other tab");
check((await ann.texts()).join("\n") === (await tab.texts()).join("\n"), "tabs differ");

// A cut connection: messages that are written in that time are sent once.
await at.setOffline(true);
await ann.says("No connection");
await ann.write("say written offline");
await ann.write("say and this");
await eventually("two waiting", async () => (await ann.log.getByText("Sending").count()) === 2);
await at.setOffline(false);
await ann.sees("and this");
await ann.sees("written offline");
await ann.sees("say written offline");
await tab.sees("say and this");

// Written offline, the page gone: sent by the next page.
await at.setOffline(true);
await ann.says("No connection");
await ann.write("say survives a reload");
await at.setOffline(false);
await page.reload();
await ann.open();
await ann.sees("survives a reload");
await ann.sees("say survives a reload");

// Files of allowed and of other types.
const file = page.locator("patchbay-chat input[type=file]");
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
await file.setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: png });
await eventually("the picture", async () => {
  const picture = ann.log.locator("ol img");
  return (await picture.count()) === 1 && (await picture.evaluate((shown) => shown.naturalWidth)) === 1;
});
check(page.complaints.length === 0, `the page complained: ${page.complaints.join("\n")}`);
await file.setInputFiles({ name: "cat.png", mimeType: "image/png", buffer: Buffer.from("<script>alert(1)</script>") });
await ann.says("not accepted");
// Browsers themselves note that a call was refused.
page.complaints = page.complaints.filter((one) => !one.includes("415"));

// A rating, once.
await ann.write("rate");
const rating = ann.log.getByRole("group", { name: "How was our service?" });
await rating.getByRole("button", { name: "Excellent" }).click();
await ann.sees("Excellent");
await eventually("the rating to be over", () => rating.getByRole("button", { name: "Poor" }).isDisabled());

// A hand-over is told.
await ann.write("person");
await ann.sees("one moment");
await ann.says("We are connecting you");

check(page.complaints.length === 0, `the page complained: ${page.complaints.join("\n")}`);
await chromium.close();
console.log("ok");
