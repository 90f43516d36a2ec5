// A supervisor gives several chats away at once. A chat that an agent took by then stays with that agent, and so does a chat that goes
// beyond the limit of an agent.
import { api, browser, check, complaints, eventually, given, loaded, logIn, phone } from "./stage.mjs";

const CHATS = "/chat-service/api/v2/chats";
/** Three customers, whose numbers no other test has. */
const CUSTOMERS = ["2785", "2786", "2787"].map((prefix) => `${prefix}${given.phone.slice(-7)}`);
const [, , taken] = CUSTOMERS;

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/supervision");
const chatOf = (customer) => eventually(`the chat of ${customer}`, async () => (await api("GET", `${CHATS}?scope=all&search=${customer}`)).content[0]);
const agentOf = async (customer) => (await chatOf(customer)).assignedTo?.name;
const me = await api("GET", "/api/v1/users/me");
const agent = await api("GET", "/api/v1/users/me", undefined, given.agent);

for (const to of CUSTOMERS) await phone("POST", `${to}/messages`, { to: given.number, text: "is anyone there?" });
// Customers can have the same name, so a row is found by its link.
const ids = Object.fromEntries(await Promise.all(CUSTOMERS.map(async (customer) => [customer, (await chatOf(customer)).id])));
const box = (customer) => page.getByRole("row").filter({ has: page.locator(`a[href$="/${ids[customer]}"]`) }).getByRole("checkbox");
for (const customer of CUSTOMERS) await box(customer).waitFor();

// A page in the background reads its lists no more, so it shows a waiting chat that an agent has taken.
const inBackground = (hidden) => page.evaluate((value) => Object.defineProperty(document, "hidden", { value, configurable: true }), hidden);
await inBackground(true);
await loaded(page);
await page.getByRole("button", { name: "Choose all" }).click();
await page.getByLabel("Give to").selectOption({ label: me.name });
await api("POST", `${CHATS}/${ids[taken]}/assign`, undefined, given.agent);
check(await box(taken).isChecked(), "the page shows the chat that an agent has taken");
await page.getByRole("button", { name: "Give 3" }).click();
await page.getByText("2 chats were given.").waitFor();
await page.getByText("1 chat has another owner by now and was not given.").waitFor();
check((await Promise.all(CUSTOMERS.map(agentOf))).join() === [me.name, me.name, agent.name].join(), "the chats went to the supervisor, except for the one of the agent");
await page.getByText("No chats in this list").waitFor();
await inBackground(false);

// With the list of open chats, two of them go to an agent who may have two: the second one stays.
await api("PUT", `/api/v1/users/${agent.id}/chat-limit`, { chatLimit: 2 });
await page.getByLabel("List", { exact: true }).selectOption({ label: "Open" });
await box(taken).waitFor();
for (const customer of CUSTOMERS.slice(0, 2)) await box(customer).check();
await page.getByLabel("Give to").selectOption({ label: agent.name });
await page.getByRole("button", { name: "Give 2" }).click();
await page.getByText("1 chat was given.").waitFor();
await page.getByText(/has 2 chats, and may have 2 at a time/).waitFor();
const owners = await Promise.all(CUSTOMERS.map(agentOf));
check(owners.filter((name) => name === agent.name).length === 2 && owners.filter((name) => name === me.name).length === 1, `the owners: ${owners}`);
// The one that failed is still chosen.
const left = CUSTOMERS[owners.indexOf(me.name)];
await eventually("the choice of the chat that failed", () => box(left).isChecked());
await page.getByRole("button", { name: "Give 1" }).waitFor();

// To a team: the chats wait for it.
const team = await api("POST", "/api/v1/teams", { name: "Second line" });
await page.reload();
await page.getByLabel("List", { exact: true }).selectOption({ label: "Open" });
await box(left).waitFor();
await page.getByRole("button", { name: "Choose all" }).click();
await page.getByLabel("Give to").selectOption({ label: "Second line" });
await page.getByRole("button", { name: "Give 3" }).click();
await page.getByText("3 chats were given.").waitFor();
const waiting = await Promise.all(CUSTOMERS.map(chatOf));
check(waiting.every((chat) => chat.teamId === team.id && !chat.assignedTo), "the chats wait for the team");
await eventually("the queue of the team", async () => (await page.getByRole("region", { name: "Queue by team" }).getByRole("row").allInnerTexts()).some((row) => row.startsWith("Second line\t3\t")));
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
