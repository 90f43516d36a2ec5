// A chat between a bot and agents: an agent gives it back to the bot, passes it on to a team outside its hours, and closes it without an
// answer.
import { Inbox, browser, check, eventually, focused, given, logIn, phone } from "./stage.mjs";

const CLOSED = "We open again in three days.";
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/supervision/teams");
const write = (text) => phone("POST", `${given.phone}/messages`, { to: given.number, text });
const answers = async (text) => (await phone("GET", `${given.phone}/inbox`)).messages.filter((one) => one.text === text).length;

// A team that opens in three days.
await page.getByRole("button", { name: "New team" }).click();
const team = page.getByRole("dialog", { name: "New team" });
await team.getByLabel("Name").fill("Night shift");
await team.getByRole("switch", { name: "Always open" }).click();
await team.getByRole("button", { name: `Add hours on ${DAYS[(new Date().getUTCDay() + 3) % 7]}` }).click();
await team.getByLabel("Text after hours").fill(CLOSED);
await team.getByRole("button", { name: "Save" }).click();
await team.waitFor({ state: "detached" });

// The bot answers, then an agent.
await write("good morning");
await eventually("the answer of the bot", async () => (await answers("Hello")) === 1);
await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: /^Inbox/ }).click();
await page.getByRole("link", { name: /^All/ }).click();
const inbox = new Inbox(page);
await inbox.row("Hello").click();
await inbox.sees("good morning");
// The next thing after a click is the answer.
await page.getByRole("button", { name: "Take this chat" }).click();
await focused(inbox.field);
await inbox.field.fill("Here is a person.");
await inbox.field.press("Enter");
await eventually("the answer of the agent", async () => (await answers("Here is a person.")) === 1);
await write("a question for a person");
await inbox.sees("a question for a person");

async function choose(action) {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

// Back to the bot: the agent can write no more, and the bot answers again.
await choose("Give back to the bot");
await page.getByText(/^The bot has the chat with .+ again\.$/).waitFor();
await page.getByText("A bot answers this chat.").waitFor();
check((await inbox.field.count()) === 0, "an agent can write in a chat of the bot");
check((await answers("Hello")) === 1, "the bot answered in a chat of an agent");
await write("a question for the bot");
await eventually("the next answer of the bot", async () => (await answers("Hello")) === 2);

// To a team outside its hours: the customer gets its text, which is no step of the bot.
await page.getByRole("button", { name: "Take this chat" }).click();
await inbox.field.waitFor();
await page.getByRole("button", { name: "Assign", exact: true }).first().click();
await page.getByRole("dialog", { name: "Assign" }).getByRole("button", { name: /Night shift/ }).click();
await page.getByText("This chat waits for an agent.").waitFor();
await eventually("the text of the team", async () => (await answers(CLOSED)) === 1);
await inbox.sees(CLOSED);
const steps = page.getByRole("complementary", { name: "Customer" }).getByRole("list", { name: "Steps of the bot" }).locator(".step-text");
await eventually("the steps of the bot alone", async () => (await steps.allTextContents()).join() === "a question for a person,a question for the bot,Hello");

// Closed without an answer, after a question.
const question = page.getByRole("dialog", { name: "Close this chat?" });
await choose("Close without an answer");
await question.getByRole("button", { name: "Cancel" }).click();
await question.waitFor({ state: "detached" });
check(await page.getByText("This chat waits for an agent.").isVisible(), "the chat is closed without consent");
await choose("Close without an answer");
await question.getByRole("button", { name: "Close without an answer" }).click();
await page.getByText(/^The chat with .+ is closed\.$/).waitFor();
await page.getByText("This chat is closed.").waitFor();
await page.getByRole("button", { name: "Reopen" }).waitFor();

await chromium.close();
console.log("ok");
