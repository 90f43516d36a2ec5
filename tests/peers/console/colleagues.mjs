// Two people on one queue: one takes a chat, the other sees it go, gets it by a transfer, and answers.
import { Inbox, browser, check, complaints, eventually, given, judgeLooks, logIn, phone, press } from "./stage.mjs";

const chromium = await browser();
const lead = await logIn(await chromium.newContext(), "/inbox/unassigned");
const agent = await logIn(await chromium.newContext(), "/inbox/unassigned", given.agent);
const elsewhere = await logIn(await chromium.newContext(), "/contacts");
const [first, second] = [new Inbox(lead), new Inbox(agent)];
for (const page of [lead, agent]) await page.getByText("No chats here").waitFor();

await phone("POST", `${given.phone}/messages`, { to: given.number, text: "who is there?" });
// An agent on another page sees the size of the queue, too.
await eventually("the size of the queue", async () => /Inbox\s*1/.test((await elsewhere.getByRole("navigation", { name: "Console" }).textContent()) ?? ""));
await second.row("who is there?").click();
await second.sees("who is there?");
await first.row("who is there?").click();
await lead.getByRole("button", { name: "Take this chat" }).click();
await first.field.waitFor();

// It leaves the other's list, and the open chat says who has it.
await agent.getByText("No chats here").waitFor();
await agent.getByText("has this chat.").waitFor();
check((await second.field.count()) === 0, "an agent can write in the chat of another");
await eventually("the sizes of the lists", async () => /Mine\s*1/.test((await lead.getByRole("navigation", { name: "Console" }).textContent()) ?? ""));

// Each sees that the other looks at the chat.
await lead.getByText("AGENT also looks at this chat.").waitFor();

// A note that names a colleague is in the colleague's mentions, and not on the phone.
await lead.getByRole("button", { name: "Note", exact: true }).click();
await lead.getByRole("textbox", { name: "Write a note" }).fill("@AGENT knows this customer");
await lead.getByRole("textbox", { name: "Write a note" }).press("Enter");
await second.sees("@AGENT knows this customer");
await agent.getByRole("link", { name: "Mentions" }).click();
await agent.locator("#main").getByText("knows this customer").waitFor();
const { name } = await phone("GET", given.phone);
await agent.locator("#main").getByRole("link", { name }).waitFor();
await agent.goBack();
await second.sees("@AGENT knows this customer");
await lead.getByRole("button", { name: "Reply", exact: true }).click();

await lead.keyboard.press("Escape");
await lead.getByRole("button", { name: "Assign", exact: true }).click();
await lead.getByRole("dialog", { name: "Assign" }).getByRole("button", { name: /AGENT/ }).click();
await second.field.waitFor();
await agent.getByRole("link", { name: /^Mine/ }).click();
await second.row("who is there?").click();
await second.field.fill("It is me.");
await second.field.press("Enter");
await first.sees("It is me.");
await eventually("the answer on the phone", async () => {
  const { messages } = await phone("GET", `${given.phone}/inbox`);
  return messages.some((one) => one.text === "It is me.");
});

// A supervisor who listens whispers: the agent reads it, and the customer does not.
await lead.getByRole("button", { name: "Whisper", exact: true }).click();
const whisper = lead.getByRole("textbox", { name: "Write a note" });
await whisper.fill("Offer a discount.");
await whisper.press("Enter");
await second.sees("Offer a discount.");
await second.field.fill("You get a discount!");
await second.field.press("Enter");
await eventually("the next answer on the phone", async () => {
  const { messages } = await phone("GET", `${given.phone}/inbox`);
  check(!messages.some((one) => one.text?.includes("Offer")), "the customer got the whisper");
  return messages.some((one) => one.text === "You get a discount!");
});
await agent.getByRole("button", { name: "Send a template" }).waitFor();

// The palette finds the chat on every page.
await press(elsewhere, "Control+k");
await elsewhere.getByRole("combobox", { name: "Command palette" }).fill(given.phone);
await elsewhere.getByRole("group", { name: "Chats" }).getByRole("option").first().click();
await new Inbox(elsewhere).sees("It is me.");

// The list of tickets names the customer.
await elsewhere.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Tickets" }).click();
await elsewhere.getByRole("region", { name: "Tickets" }).getByText(name, { exact: true }).waitFor();
for (const page of [lead, agent, elsewhere]) check(complaints(page).length === 0, complaints(page).join("\n"));

// The thread with a failed answer, the note and the whisper, as both see it.
await phone("PUT", given.phone, { failWith: 131026 });
await second.field.fill("Look at our page.");
await second.field.press("Enter");
await second.message("Look at our page.").getByRole("alert").getByText("131026").first().waitFor();
await second.message("Offer a discount.").getByText(/, to the agent only$/).waitFor();
await second.message("@AGENT knows this customer").getByText(/, internal note$/).waitFor();
const chat = new URL(agent.url()).pathname.split("/").at(-1);
const judged = async (user, name) => {
  const page = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), `/inbox/all/${chat}`, user);
  await new Inbox(page).sees("Look at our page.");
  await page.getByText(/also looks? at this chat\.$/).first().waitFor();
  await judgeLooks(page, `a thread of ${name}`);
  return page;
};
await judged(given.admin, "a supervisor");
const seat = await judged(given.agent, "an agent");
await seat.getByRole("button", { name: "Note", exact: true }).click();
await seat.getByRole("textbox", { name: "Write a note" }).waitFor();
await judgeLooks(seat, "the field of a note");
await chromium.close();
console.log("ok");
