// An agent sees how long the window of a chat is open. A day later the agent sends a template with values, which is in the chat with its
// receipt.
import { Inbox, browser, check, complaints, eventually, findings, given, logIn, phone } from "./stage.mjs";

const HOUR_MS = 3_600_000;
const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "see you tomorrow" });
const page = await logIn(await chromium.newContext(), "/inbox/unassigned", given.agent);
const inbox = new Inbox(page);
await inbox.row("see you tomorrow").click();
await page.getByRole("button", { name: "Take this chat" }).click();
await inbox.field.waitFor();
await page.locator(".window-left").getByText(/2[34]/).waitFor();

// Only the clock of the browser is a day later: the page closes the window by itself.
const tomorrow = await chromium.newContext({ bypassCSP: true });
await tomorrow.clock.setFixedTime(Date.now() + 25 * HOUR_MS);
const later = await logIn(tomorrow, "/inbox/my", given.agent);
const next = new Inbox(later);
await next.row("see you tomorrow").click();
await later.getByText("Only a template can be sent").waitFor();
check((await next.field.count()) === 0, "a text can be written after the window has closed");
await later.getByRole("button", { name: "Send a template" }).click();
await later.getByRole("dialog", { name: "Send a template" }).getByRole("button", { name: /order_ready/ }).click();
const form = later.getByRole("dialog", { name: "order_ready" });
await form.getByLabel("Value of 1").fill("<b>Thandi</b>");
await form.getByLabel("Value of 2").fill("#42");
await form.getByLabel("Value of the button Open").fill("42");
const text = "Hi <b>Thandi</b>, order #42 is ready.";
await form.getByRole("region", { name: "Preview" }).getByText(text).waitFor();
check((await form.locator("b").count()) === 0, "a value became markup");
const found = await findings(later);
check(found.length === 0, found.join("\n"));
await form.getByRole("button", { name: "Send", exact: true }).click();
await next.sees(text);
await inbox.sees(text);
const ticks = next.message(text).locator("[data-status]");
await eventually("the receipt of the phone", async () => (await ticks.getAttribute("data-status")) === "DELIVERED");
const { messages } = await phone("GET", `${given.phone}/inbox`);
check(messages.filter((one) => one.type === "template").length === 1, JSON.stringify(messages));

// A carousel: each card has its file and its values.
await page.getByRole("button", { name: "Send a template" }).click();
await page.getByRole("dialog", { name: "Send a template" }).getByRole("button", { name: /summer_carousel/ }).click();
const carousel = page.getByRole("dialog", { name: "summer_carousel" });
for (const [number, colour] of [[1, "blue"], [2, "red"]]) {
  await carousel.getByLabel(`Card ${number}: Address of the file (image)`).fill(`https://shop.example/${colour}.png`);
  await carousel.getByLabel(`Card ${number}: Value of 1`).fill(colour);
}
await carousel.getByRole("group", { name: "Cards" }).getByText("Our red range").waitFor();
await carousel.getByRole("button", { name: "Send", exact: true }).click();
await eventually("the cards on the phone", async () => (await phone("GET", `${given.phone}/inbox`)).messages.some((one) => one.cards?.length === 2));
for (const one of [page, later]) check(complaints(one).length === 0, complaints(one).join("\n"));
await chromium.close();
console.log("ok");
