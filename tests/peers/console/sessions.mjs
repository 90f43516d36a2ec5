// An ADMIN sees the sessions of a user and ends one: the page of the user says so at once.
import { browser, check, complaints, eventually, given, logIn } from "./stage.mjs";

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
await chromium.close();
console.log("ok");
