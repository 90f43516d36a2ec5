// The nine lists with their sizes: chats come into a list and leave it by themselves when others act, also the list of a team that the agent
// has joined since the login.
import { Inbox, api, browser, check, complaints, eventually, given, logIn, phone } from "./stage.mjs";

const CHATS = "/chat-service/api/v2/chats";
const DAYS = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/inbox/unassigned", given.agent);
const inbox = new Inbox(page);
await page.getByText("No chats here").waitFor();

// The sizes in the navigation, by the name of the list. Lists that are not named are empty.
async function sizesAre(expected) {
  const wanted = { Mine: 0, Waiting: 0, "My team": 0, Open: 0, "Missed by me": 0, Missed: 0, "After hours": 0, Closed: 0, All: 0, ...expected };
  const entries = page.getByRole("navigation", { name: "Console" }).locator(".nav-below a");
  const shown = async () => Object.fromEntries((await entries.allTextContents()).map((text) => [text.replace(/\d+\+?$/, ""), Number(text.match(/\d+$/)?.[0] ?? NaN)]));
  await eventually(`the sizes ${JSON.stringify(wanted)}`, async () => {
    const sizes = await shown();
    if (JSON.stringify(sizes) !== JSON.stringify(wanted)) throw new Error(JSON.stringify(sizes));
    return true;
  });
}
const open = (list) => page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: new RegExp(`^${list} ?\\d*$`) }).click();
const listed = (what, texts) => eventually(`${what}: ${texts}`, async () => {
  const rows = await inbox.list.getByRole("listitem").allTextContents();
  return rows.length === texts.length && texts.every((text) => rows.some((row) => row.includes(text)));
});

/** Customers, whose numbers no other test has. @type {Record<string, string>} */
const numbers = Object.fromEntries(["first", "second", "third", "fourth"].map((name, at) => [name, `278${5 + at}${given.phone.slice(-7)}`]));
const write = (name) => phone("POST", `${numbers[name]}/messages`, { to: given.number, text: `the ${name} customer` });
const idOf = (name) => eventually(`the ${name} chat`, async () => (await api("GET", `${CHATS}?scope=all&search=${numbers[name]}`)).content[0]?.id);
const act = async (name, action, body, user) => api("POST", `${CHATS}/${await idOf(name)}/${action}`, body, user);

for (const name of ["first", "second", "third"]) await write(name);
await listed("waiting", ["the first customer", "the second customer", "the third customer"]);
await sizesAre({ Waiting: 3, Open: 3, All: 3 });

// A team of the agent and of the supervisor, who takes chats.
const team = await api("POST", "/api/v1/teams", { name: "Sales" });
for (const user of [given.admin, given.agent]) await api("PUT", `/api/v1/teams/${team.id}/members/${(await api("GET", "/api/v1/users/me", undefined, user)).id}`);
await act("first", "assign");
await listed("waiting", ["the second customer", "the third customer"]);
await sizesAre({ Waiting: 2, "My team": 1, Open: 3, All: 3 });
await open("My team");
await listed("the team", ["the first customer"]);
await act("second", "assign");
await listed("the team", ["the first customer", "the second customer"]);
await sizesAre({ Waiting: 1, "My team": 2, Open: 3, All: 3 });
await act("first", "resolve");
await listed("the team", ["the second customer"]);
await act("third", "assign", undefined, given.agent);
await listed("the team", ["the second customer", "the third customer"]);
await sizesAre({ Mine: 1, "My team": 2, Open: 2, Closed: 1, All: 3 });

// A chat that ends while it waits is missed. The agent had another one.
await open("Missed");
await page.getByText("No chats here").waitFor();
await act("third", "transfer", { teamId: team.id });
await act("third", "terminate");
await listed("missed", ["the third customer"]);
await inbox.row("the third customer").getByText("Missed", { exact: true }).waitFor();
await sizesAre({ "My team": 1, Open: 1, Missed: 1, Closed: 2, All: 3 });

// A chat that waits outside the hours of its team is after hours until an agent answers.
const weekly = [{ day: DAYS[(new Date().getUTCDay() + 3) % 7], from: "11:00", to: "12:00" }];
const night = await api("POST", "/api/v1/teams", { name: "Night shift", businessHours: { weekly } });
await open("After hours");
await page.getByText("No chats here").waitFor();
await write("fourth");
await act("fourth", "assign", { teamId: night.id });
await listed("after hours", ["the fourth customer"]);
await inbox.row("the fourth customer").getByText("After hours", { exact: true }).waitFor();
await sizesAre({ Waiting: 1, "My team": 1, Open: 2, Missed: 1, "After hours": 1, Closed: 2, All: 4 });
await act("fourth", "assign", undefined, given.agent);
await sizesAre({ Mine: 1, "My team": 2, Open: 2, Missed: 1, "After hours": 1, Closed: 2, All: 4 });
// A supervisor sees the numbers of both.
const desk = await logIn(await chromium.newContext(), "/supervision");
for (const title of ["Missed", "After hours"]) await eventually(`the number of "${title}"`, async () => (await desk.locator(".tile").filter({ hasText: title }).textContent()) === `${title}1`);
await desk.context().close();
await listed("after hours", ["the fourth customer"]);
await api("POST", "/chat-service/api/v2/messages", { participantId: await idOf("fourth"), channel: "WHATSAPP", text: "Here I am." }, given.agent);
await page.getByText("No chats here").waitFor();
await sizesAre({ Mine: 1, "My team": 2, Open: 2, Missed: 1, Closed: 2, All: 4 });
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
