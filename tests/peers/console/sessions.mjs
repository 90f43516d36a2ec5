// An ADMIN sees the sessions of a user and ends one: the page of the user says so at once.
import { browser, check, complaints, eventually, given, judgeLooks, logIn } from "./stage.mjs";

const chromium = await browser();
const agent = await logIn(await chromium.newContext(), "/inbox", given.agent);
await agent.getByRole("region", { name: "Chats" }).waitFor();
const admin = await logIn(await chromium.newContext(), "/administration/users");
await admin.getByRole("row").filter({ hasText: given.agent.email }).getByRole("button", { name: /^Actions for/ }).click();
await admin.getByRole("menuitem", { name: "Sessions" }).click();
const dialog = admin.getByRole("dialog", { name: /^Sessions of/ });
await dialog.getByRole("button", { name: "End", exact: true }).click();
await agent.getByText("Your session has ended. Log in again.").waitFor();
await eventually("the empty list", async () => (await dialog.getByRole("listitem").count()) === 0);
check(complaints(agent).length === 0, complaints(agent).join("\n"));
check(complaints(admin).length === 0, complaints(admin).join("\n"));

// One's own sessions and the password, judged in both schemes and on a small screen.
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/contacts");
await judged.getByRole("button", { name: /account and settings/ }).click();
await judged.getByRole("menuitem", { name: "Sessions and password" }).click();
await judged.getByRole("dialog", { name: "Sessions and password" }).getByText("This one").waitFor();
await judgeLooks(judged, "the account");
await chromium.close();
console.log("ok");
