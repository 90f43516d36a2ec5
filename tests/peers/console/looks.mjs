// Parts of chats, supervision and contacts that no other story judges: light and dark, wide and small, without findings of axe.
import { Inbox, api, browser, check, complaints, eventually, focused, given, judgeLooks, logIn, phone } from "./stage.mjs";

const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "which offers are there?" });
const judged = { bypassCSP: true, reducedMotion: "reduce" };
const page = await logIn(await chromium.newContext(judged), "/inbox/unassigned");
const agent = await logIn(await chromium.newContext(judged), "/inbox/unassigned", given.agent);
const [first, second] = [new Inbox(page), new Inbox(agent)];
const dialog = (name) => page.getByRole("dialog", { name, exact: true });
async function leave(form) {
  await form.getByRole("button", { name: "Close", exact: true }).click();
  await form.waitFor({ state: "detached" });
}

// A thread with a failed answer, a note and a whisper, for the supervisor and for the agent.
await second.row("which offers are there?").click();
await agent.getByRole("button", { name: "Take this chat" }).click();
await focused(second.field);
await phone("PUT", given.phone, { failWith: 131026 });
await second.field.fill("Look at our page.");
await second.field.press("Enter");
await second.message("Look at our page.").getByRole("alert").getByText("131026").first().waitFor();
await page.goto(`${given.base}/console/inbox/all`);
await first.row("Look at our page.").click();
await first.sees("Look at our page.");
for (const [mode, text] of [["Note", "He is a good customer."], ["Whisper", "Offer a discount."]]) {
  await page.getByRole("button", { name: mode, exact: true }).click();
  await page.getByRole("textbox", { name: "Write a note" }).fill(text);
  await page.getByRole("textbox", { name: "Write a note" }).press("Enter");
  await second.sees(text);
}
await second.message("Offer a discount.").getByText(/, to the agent only$/).waitFor();
await second.message("He is a good customer.").getByText(/, internal note$/).waitFor();
await agent.getByText("also looks at this chat.").waitFor();
await judgeLooks(page, "a thread of a supervisor");
await judgeLooks(agent, "a thread of an agent");
await agent.getByRole("button", { name: "Note", exact: true }).click();
await agent.getByRole("textbox", { name: "Write a note" }).waitFor();
await judgeLooks(agent, "the field of a note");

// Supervision: the dialogs of a new team and a known one with hours, a holiday and a text, and those of a canned reply.
await page.goto(`${given.base}/console/supervision/teams`);
await page.getByRole("button", { name: "New team" }).click();
const team = dialog("New team");
await team.getByLabel("Name").fill("Night shift");
await judgeLooks(page, "a new team");
await team.getByRole("switch", { name: "Always open" }).click();
await team.getByRole("button", { name: "Add hours on Monday" }).click();
await team.getByRole("button", { name: "Add a holiday" }).click();
await team.getByLabel("Text after hours").fill("We open again at eight.");
await judgeLooks(page, "the hours of a team");
await team.getByLabel("Time zone").fill("Nowhere");
await team.getByRole("button", { name: "Save" }).click();
await eventually("the fault of the zone", async () => (await team.getByLabel("Time zone").getAttribute("aria-invalid")) === "true");
await judgeLooks(page, "a refused team");
await leave(team);
await page.goto(`${given.base}/console/supervision/replies`);
await page.getByRole("button", { name: "New canned reply" }).click();
const reply = dialog("New canned reply");
await reply.getByLabel("Shortcut").fill("hours");
await reply.getByLabel("Text").fill("Hello {{customer.nme}}");
await reply.getByRole("button", { name: "Save" }).click();
await eventually("the fault of the text", async () => (await reply.getByLabel("Text").getAttribute("aria-invalid")) === "true");
await judgeLooks(page, "a refused canned reply");
await reply.getByLabel("Text").fill("Hello {{customer.name}}");
await reply.getByRole("button", { name: "Save" }).click();
await page.getByRole("row").filter({ hasText: "/hours" }).getByRole("button").click();
await dialog("/hours").getByRole("button", { name: "Delete" }).waitFor();
await judgeLooks(page, "a canned reply");
await leave(dialog("/hours"));

// Contacts: a refused new one, and a known one with attributes, a tag and a note.
const attribute = (name, body) => api("PUT", `/messaging-service/WhatsApp/contact-attributes/${name}`, body);
await attribute("plan", { label: "Plan", type: "CHOICE", choices: ["silver", "gold"] });
await attribute("since", { label: "Customer since", type: "DATE" });
await page.goto(`${given.base}/console/contacts`);
await page.getByRole("button", { name: "New contact" }).click();
const contact = dialog("New contact");
await contact.getByLabel("Name").fill("Thandi");
await contact.getByLabel("Number").fill("12");
await contact.getByRole("button", { name: "Save" }).click();
await eventually("the fault of the number", async () => (await contact.getByLabel("Number").getAttribute("aria-invalid")) === "true");
await judgeLooks(page, "a refused contact");
await contact.getByLabel("Number").fill(`+${given.phone}`);
await contact.getByRole("button", { name: "Save" }).click();
await page.getByRole("row").filter({ hasText: "Thandi" }).getByRole("button").click();
const facts = dialog("Thandi");
await facts.getByLabel("Add a tag").fill("late payer");
await facts.getByLabel("Add a tag").press("Enter");
await facts.getByRole("button", { name: "Remove the tag late payer" }).waitFor();
await facts.getByLabel("A note about this customer").fill("Calls on Mondays.");
await facts.getByRole("button", { name: "Add note" }).click();
await facts.getByRole("button", { name: "Delete this note" }).waitFor();
await facts.getByLabel("Customer since").waitFor();
await judgeLooks(page, "a contact");
await facts.getByRole("button", { name: "Delete this note" }).click();
await dialog("Delete this note").waitFor();
await judgeLooks(page, "a question");
for (const one of [page, agent]) check(complaints(one).length === 0, complaints(one).join("\n"));
await chromium.close();
console.log("ok");
