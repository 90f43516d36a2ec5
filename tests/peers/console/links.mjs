// A link to the webhooks: made by an ADMIN, opened once by a developer outside the client, who sees and changes the webhooks alone.
import { browser, check, complaints, given, judgeLooks, logIn, press, tabTo, visit } from "./stage.mjs";

const chromium = await browser();
const admin = await logIn(await chromium.newContext(), "/webhooks");
await admin.getByRole("button", { name: "Hand this page over" }).click();
const dialog = admin.getByRole("dialog", { name: "Hand this page over" });
await dialog.getByRole("button", { name: "Make a link" }).click();
const made = await dialog.getByRole("status").locator("code").textContent();
const link = `${given.base}/console${made.slice(made.indexOf("#"))}`;

// The judge needs more than the page's policy allows.
const guest = await visit(await chromium.newContext({ reducedMotion: "reduce", bypassCSP: true }), link);
await guest.getByRole("heading", { name: "Webhooks by a link" }).waitFor();
await judgeLooks(guest, "the page of a link");
for (const button of await guest.getByRole("button").all()) await tabTo(button);
const entrance = guest.getByRole("button", { name: "Open the webhooks" });
await tabTo(entrance, "Shift+Tab");
await press(entrance, "Enter");
await guest.getByText("No webhooks yet").waitFor();
await guest.getByText("Your access to these webhooks ends at").waitFor();
check(guest.url().endsWith("/console/webhooks"), `the address has the link no more: ${guest.url()}`);
const pages = await guest.getByRole("navigation", { name: "Console" }).getByRole("link").allTextContents();
check(pages.length === 1 && pages[0].includes("Webhooks"), `pages: ${pages.join()}`);
check((await guest.getByRole("button", { name: "Hand this page over" }).count()) === 0, "a guest hands nothing over");
await guest.getByRole("button", { name: "Set up webhooks" }).click();
await guest.getByLabel("Incoming messages").fill("https://hooks.example/incoming");
await guest.getByRole("button", { name: "Save" }).click();
await guest.getByRole("region", { name: "Incoming messages" }).getByText("/incoming").waitFor();
check(complaints(guest).length === 0, complaints(guest).join("\n"));

const late = await visit(await chromium.newContext(), link);
await late.getByRole("button", { name: "Open the webhooks" }).click();
await late.getByRole("alert").getByText("The link was used").waitFor();
await late.getByRole("button", { name: "Go to the login" }).click();
await late.getByRole("button", { name: "Log in", exact: true }).waitFor();
check(complaints(late).length === 0, complaints(late).join("\n"));

check(complaints(admin).length === 0, complaints(admin).join("\n"));
await chromium.close();
console.log("ok");
