// An ADMIN makes a user and changes its role, blocks a recipient and takes it back, saves a rate, reads the credits, and lets a number
// that stopped SMS have them again.
import { api, browser, check, complaints, eventually, focused, given, judgeLooks, loaded, logIn, phone, visit } from "./stage.mjs";

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/administration/users");
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/administration/users");
const dialog = (name, on = page) => on.getByRole("dialog", { name, exact: true });
const part = (name) => page.getByRole("link", { name, exact: true }).click();
const email = `lindiwe@${given.clientRef}.example`;
const row = (text, on = page) => on.getByRole("row").filter({ hasText: text });

// A new user logs in with the password that is shown once, and chooses another one.
await page.getByRole("button", { name: "Add a user" }).click();
const form = dialog("Add a user");
await form.getByLabel("Name", { exact: true }).fill("Lindiwe");
await form.getByLabel("E-mail").fill(email);
await form.getByLabel("Role").selectOption("AGENT");
await form.getByRole("button", { name: "Add", exact: true }).click();
const once = dialog("Lindiwe");
await once.getByText("Temporary password. Copy it now; it is not shown again.").waitFor();
const password = (await once.locator("code").textContent()).trim();
await page.keyboard.press("Escape");
await once.waitFor({ state: "detached" });
await row(email).getByText("Agent", { exact: true }).waitFor();
const theirs = await visit(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), `${given.base}/console/inbox`);
const field = (name) => theirs.getByLabel(name, { exact: true });
for (const [name, value] of [["Client reference", given.clientRef], ["E-mail", email], ["Password", password]]) await field(name).fill(value);
await field("Password").press("Enter");
await theirs.getByText("Your password is temporary. Choose a new one.").waitFor();
await focused(field("New password"));
await judgeLooks(theirs, "the login with a temporary password");
await field("New password").fill("long enough");
await field("New password").press("Enter");
await theirs.getByRole("region", { name: "Chats" }).waitFor();
const seesAdministration = (on) => on.getByRole("navigation").getByRole("link", { name: "Administration" }).count();
check((await seesAdministration(theirs)) === 0, "an agent sees the administration");

// Her role changes, and with it her pages.
await row(email).getByRole("button", { name: "Actions for Lindiwe" }).click();
await page.getByRole("menuitem", { name: "Edit" }).click();
await dialog("Lindiwe").getByLabel("Role").selectOption("ADMIN");
await dialog("Lindiwe").getByRole("button", { name: "Save" }).click();
await row(email).getByText("Administrator", { exact: true }).waitFor();
await theirs.reload();
await eventually("the pages of her new role", async () => (await seesAdministration(theirs)) > 0);

// A blocked recipient is in the list, gets nothing, and may be taken back.
const send = (path, to, body) => api("POST", path, { messages: [{ recipients: [{ to, ctId: `${body}-${to}` }], messageText: body }] });
const SMS = "/whatsapp-api-service/v2/channels/sms";
const blocked = `2784${given.phone.slice(-7)}`;
await part("Blocklist");
await page.getByText("Nothing is blocked").waitFor();
await page.getByRole("button", { name: "Block recipients" }).click();
await dialog("Block recipients").getByLabel("Recipients", { exact: true }).fill(`+${blocked}\n`);
await dialog("Block recipients").getByLabel("Reason").fill("asked for it");
await dialog("Block recipients").getByRole("button", { name: "Block recipients" }).click();
await page.getByText("1 recipient is blocked.").waitFor();
await row(`+${blocked}`).getByText("asked for it").waitFor();
check((await send(SMS, blocked, "blocked")).rejectedCount === 1, "a blocked recipient gets a message");
await row(`+${blocked}`).getByRole("button", { name: `Remove ${blocked}` }).click();
await page.getByText("Nothing is blocked").waitFor();
await page.getByRole("button", { name: "Undo" }).click();
await row(`+${blocked}`).getByText("asked for it").waitFor();
await row(`+${blocked}`).getByRole("button", { name: `Remove ${blocked}` }).click();
await page.getByText("Nothing is blocked").waitFor();

// A rate with a fault, then a right one, which is there after a reload.
await part("Rate card");
await page.getByRole("button", { name: "Add a rate" }).click();
await page.getByLabel("Country, row 1").fill("27");
await page.getByLabel("Amount, row 1").fill("much");
await page.getByRole("button", { name: "Save" }).click();
await eventually("the fault of the amount", async () => (await page.getByLabel("Amount, row 1").getAttribute("aria-invalid")) === "true");
check((await page.getByLabel("Country, row 1").getAttribute("aria-invalid")) !== "true", "a good field has a fault");
await page.getByLabel("Amount, row 1").fill("0.0379");
await page.getByLabel("Category, row 1").selectOption("SMS");
await page.getByRole("button", { name: "Save" }).click();
await page.getByText("The rate card is saved.").waitFor();
await page.getByText("Not saved yet").waitFor({ state: "detached" });
await page.reload();
await page.getByLabel("Amount, row 1").waitFor();
const rate = await Promise.all(["Country", "Category", "Amount", "Currency"].map((name) => page.getByLabel(`${name}, row 1`).inputValue()));
check(rate.join() === "27,SMS,0.0379,USD", `the saved rate is ${rate}`);

// The credits before and after an SMS. Its recipient stops SMS, and may have them again.
await part("Credits");
const figure = page.locator(".card").filter({ hasText: "SMS credits" }).locator(".figure");
const credits = async () => Number((await figure.textContent()).replace(/[^\d-]/g, ""));
await figure.waitFor();
const before = await credits();
check((await send(SMS, given.phone, "One")).acceptedCount === 1, "the SMS is accepted");
await eventually("the SMS on the phone", async () => (await phone("GET", `${given.phone}/inbox`)).messages.some((one) => one.channel === "SMS" && one.text === "One"));
await page.reload();
await figure.waitFor();
check((await credits()) === before - 1, `${before} credits are ${await credits()} after an SMS`);
await page.getByText("No number has stopped SMS").waitFor();
await phone("POST", `${given.phone}/sms`, { to: "PATCHBAY", text: "STOP" });
const remove = page.getByRole("button", { name: `Remove ${given.phone}` });
await eventually("the number that stopped SMS", async () => {
  if ((await remove.count()) === 0) await page.reload();
  await loaded(page);
  return remove.isVisible();
});
check((await send(SMS, given.phone, "Two")).rejectedCount === 1, "a number that stopped SMS gets one");
for (const path of ["sms", "rates", "users"]) {
  await judged.goto(`${given.base}/console/administration/${path}`);
  await judged.getByText(path === "sms" ? `+${given.phone}` : path === "rates" ? "Currency" : email).first().waitFor();
  await judgeLooks(judged, path);
}
await page.getByLabel("Search numbers").fill("999999");
await remove.waitFor({ state: "detached" });
await page.getByLabel("Search numbers").fill("");
await remove.click();
await dialog(`Allow SMS to +${given.phone}?`).getByRole("button", { name: "Allow SMS again" }).click();
await page.getByText(`+${given.phone} gets SMS again.`).waitFor();
await page.getByText("No number has stopped SMS").waitFor();
check((await send(SMS, given.phone, "Three")).acceptedCount === 1, "the number gets SMS again");
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
