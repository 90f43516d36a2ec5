// A person logs in at the login provider and comes back to the page that was asked for; an administrator sets the rule.
import { browser, check, complaints, given, judgeLooks, loaded, logIn, visit } from "./stage.mjs";
import { reachAll } from "./reach.mjs";

const chromium = await browser();

// To the provider and back, to the page of the first address.
const context = await chromium.newContext();
const page = await visit(context, `${given.base}/console/contacts`);
const leave = page.getByRole("button", { name: "Log in with OpenID Connect" });
await leave.click();
await page.getByText("Enter the client reference first.").waitFor();
await page.getByLabel("Client reference").fill(given.clientRef);
await leave.click();
await page.getByLabel("Account").fill(given.admin.email);
await page.getByRole("button", { name: "Continue" }).click();
await page.getByRole("heading", { level: 1, name: "Contacts" }).waitFor();
await loaded(page);
check(page.url() === `${given.base}/console/contacts`, `the code left the address: ${page.url()}`);
// Those of the provider on the same machine begin with a line.
check((await context.cookies(given.base)).every(({ name }) => name.startsWith("_")), "the console has no cookies");
await page.reload();
await page.getByRole("heading", { level: 1, name: "Contacts" }).waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));

// The address of the way back, opened in another tab, opens nothing.
const other = await visit(await chromium.newContext(), `${given.base}/console/openid?code=a&state=b`);
await other.getByRole("alert").getByText("begun in another browser or tab").waitFor();
check(!other.url().includes("code="), other.url());

// A login that is cancelled at the provider.
await other.getByLabel("Client reference").fill(given.clientRef);
await other.getByRole("button", { name: "Log in with OpenID Connect" }).click();
await other.getByRole("button", { name: "Cancel" }).click();
await other.getByRole("alert").getByText("did not let you in").waitFor();

// A person without a user gets the reason.
await other.getByLabel("Client reference").fill(given.clientRef);
await other.getByRole("button", { name: "Log in with OpenID Connect" }).click();
await other.getByLabel("Account").fill("eve@example.com");
await other.getByRole("button", { name: "Continue" }).click();
await other.getByRole("alert").getByText("has no user with the e-mail address eve@example.com").waitFor();

// The rule, judged in both schemes and on a small screen, and reached by keyboard.
const judged = await chromium.newContext({ bypassCSP: true });
const admin = await logIn(judged, "/administration/openid");
await admin.getByLabel("Logins by OpenID Connect").selectOption("CREATE_USERS");
await admin.getByLabel("Role of new users").selectOption("DEVELOPER");
await admin.getByLabel("E-mail domains of new users").fill("nonsense");
await admin.getByRole("button", { name: "Save" }).click();
await admin.getByText("domains such as example.com").first().waitFor();
await admin.getByLabel("E-mail domains of new users").fill("acme.example, example.com");
await admin.getByRole("button", { name: "Save" }).click();
await admin.getByText("The rule is saved.").waitFor();
await judgeLooks(admin, "the rule of logins");
await reachAll(admin, "the rule of logins");
await admin.reload();
check((await admin.getByLabel("E-mail domains of new users").inputValue()) === "acme.example, example.com", "the rule is kept");

// Now the person gets in.
await other.getByLabel("Client reference").fill(given.clientRef);
await other.getByRole("button", { name: "Log in with OpenID Connect" }).click();
await other.getByRole("main").and(other.locator("#main")).waitFor();
await admin.goto(`${given.base}/console/administration/users`);
await admin.getByRole("row").filter({ hasText: "eve@example.com" }).waitFor();

await chromium.close();
console.log("ok");
