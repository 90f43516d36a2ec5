// Canned replies after `/` with the values of the chat, also before the server has listed them, and colleagues after `@` in a note.
import { Inbox, api, browser, check, complaints, eventually, focused, given, judgeLooks, logIn, phone, press } from "./stage.mjs";

const chromium = await browser();
const lead = await logIn(await chromium.newContext(), "/contacts");
const reply = (shortcut, text) => api("POST", "/chat-service/api/v2/canned-replies", { shortcut, text, teamId: null });
await reply("after-hours", "We are closed.");
await reply("hours", "Hello {{customer.name}}, we are open from 8 to 17.");
await reply("team", "Ask {{team.name}} about ticket {{ticket.number}}.");
const colleague = (name, at) => api("POST", "/api/v1/users", { name, email: `${at}@${given.clientRef}.example`, role: "AGENT" });
const anne = await colleague("Anne-Marie O'Brien", "anne");
await colleague("Anne", "other");

await phone("PUT", given.phone, { name: "Thandi" });
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "when are you open?" });
const page = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/inbox/unassigned", given.agent);
const inbox = new Inbox(page);
await inbox.row("when are you open?").click();
await page.getByRole("button", { name: "Take this chat" }).click();
await focused(inbox.field);
const list = page.getByRole("listbox", { name: "Suggestions" });
const titles = async () => (await list.getByRole("option").locator(".strong").allTextContents()).join();
const holds = (field, text) => eventually(`"${text}" in the field`, async () => (await field.inputValue()) === text);
const received = async () => (await phone("GET", `${given.phone}/inbox`)).messages.map((one) => one.text);

// The reply with exactly this shortcut comes first, and Enter puts it into the field with the name of the customer.
await press(inbox.field, ..."/hours");
await eventually("the replies for /hours", async () => (await titles()) === "/hours,/after-hours");
await judgeLooks(page, "suggestions of canned replies");
await press(inbox.field, "Enter");
await holds(inbox.field, "Hello Thandi, we are open from 8 to 17.");
check((await list.count()) === 0 && (await received()).length === 0, "the suggestion was sent");
await press(inbox.field, "Enter");
await eventually("the reply on the phone", async () => (await received()).join() === "Hello Thandi, we are open from 8 to 17.");
await holds(inbox.field, "");

// By arrows: screen readers hear the name of the chosen one. The page names its missing value.
await press(inbox.field, "/");
await eventually("all replies", async () => (await titles()) === "/after-hours,/hours,/team");
await press(inbox.field, "ArrowUp");
const chosen = list.getByRole("option", { selected: true });
await chosen.getByText("/team", { exact: true }).waitFor();
check((await inbox.field.getAttribute("aria-activedescendant")) === (await chosen.getAttribute("id")), "the field names another suggestion");
await press(inbox.field, "Tab");
await holds(inbox.field, "Ask  about ticket 1.");
await page.getByText("These values are unknown: team.name").waitFor();
await focused(inbox.field);
await inbox.field.fill("");

// Enter before the server has listed the replies waits for them: the customer never gets a shortcut. The page has not seen this reply.
await reply("later", "We open at eight.");
let held = true;
const waiting = [];
await page.route("**/canned-replies?*", async (route) => {
  if (held) await new Promise((go) => waiting.push(go));
  // The page may have given the request up for a later one.
  await route.continue().catch(() => {});
});
await press(inbox.field, ..."/later", "Enter");
await eventually("the search", () => waiting.length > 0);
check((await inbox.field.inputValue()) === "/later", "the shortcut left the field");
held = false;
waiting.forEach((go) => go());
await holds(inbox.field, "We open at eight.");
await press(inbox.field, "Enter");
await eventually("the next reply on the phone", async () => (await received()).at(-1) === "We open at eight.");
check((await received()).length === 2, (await received()).join("\n"));

// A word that no reply has is sent as it is.
await press(inbox.field, ..."/help", "Enter");
await eventually("the text on the phone", async () => (await received()).at(-1) === "/help");

// A colleague with marks in the name, and not the one whose name begins the same.
await page.getByRole("button", { name: "Note", exact: true }).click();
const note = page.getByRole("textbox", { name: "Write a note" });
await note.focus();
await press(note, ..."ask @anne");
await eventually("the colleagues", async () => (await titles()) === "Anne-Marie O'Brien");
await press(note, ..."-marie o'b");
await eventually("the colleague", async () => (await titles()) === "Anne-Marie O'Brien");
await judgeLooks(page, "suggestions of colleagues");
await press(note, "Enter");
await holds(note, "ask @Anne-Marie O'Brien ");
await press(note, ..."and @AG");
await eventually("oneself", async () => (await titles()) === "AGENT");
await list.getByRole("option").click();
await holds(note, "ask @Anne-Marie O'Brien and @AGENT ");
await focused(note);
const written = page.waitForResponse((answer) => answer.request().method() === "POST" && answer.url().endsWith("/notes"));
await press(note, "Enter");
const { mentions } = await (await written).json();
check(mentions.length === 2 && mentions.some((one) => one.id === anne.id), `the note mentions ${JSON.stringify(mentions)}`);
await inbox.sees("ask @Anne-Marie O'Brien and @AGENT");
check((await received()).length === 3, "a note was sent");

// The row of the mention leads to the chat.
await page.getByRole("link", { name: "Mentions" }).click();
const row = page.locator("#main").getByRole("link").filter({ hasText: "ask @Anne-Marie O'Brien and @AGENT" });
await row.getByText("AGENT", { exact: true }).waitFor();
await judgeLooks(page, "mentions");
await row.click();
await inbox.sees("when are you open?");
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
