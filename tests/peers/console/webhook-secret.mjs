// A developer shows and rotates the secret that signs webhooks, and its receiver finds the new signature. A webhook that its receiver
// ended is turned on again, and the deliveries that failed are sent again.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { browser, check, complaints, eventually, given, judgeLooks, logIn, phone } from "./stage.mjs";

const seen = [];
let status = 200;
const receiver = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part)).on("end", () => {
    seen.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(status).end();
  });
});
await new Promise((ready) => receiver.listen(0, "127.0.0.1", ready));

// The signature by the rules of Standard Webhooks (docs/webhooks.md).
function signature(secret, { headers, body }) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64")}`;
}
const isSigned = (secret, one) => one.headers["webhook-signature"].split(" ").includes(signature(secret, one));
const arrival = (text) => eventually(`the webhook about "${text}"`, () => seen.find((one) => one.body.includes(text)));
const write = (text) => phone("POST", `${given.phone}/messages`, { to: given.number, text });

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/webhooks");
await page.getByRole("button", { name: "Set up webhooks" }).click();
await page.getByLabel("Incoming messages").fill(`http://127.0.0.1:${receiver.address().port}/incoming`);
await page.getByRole("button", { name: "Save" }).click();
const card = page.getByRole("region", { name: "Incoming messages" });
await card.getByText("/incoming").waitFor();

// The secret is shown on request only.
const secret = page.getByRole("group", { name: "Signing secret" });
check(/^•+$/.test(await secret.locator("code").textContent()), "the secret is shown without a click");
const show = async () => {
  await secret.getByRole("button", { name: "Show" }).click();
  await eventually("the secret", async () => (await secret.locator("code").textContent()).startsWith("whsec_"));
  return secret.locator("code").textContent();
};
const old = await show();
await write("by the first secret");
check(isSigned(old, await arrival("by the first secret")), "the signature of the first webhook");
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), new URL(page.url()).pathname.replace("/console", ""));
await judged.getByRole("group", { name: "Signing secret" }).getByRole("button", { name: "Show" }).click();
await judged.getByText("whsec_").waitFor();
await judgeLooks(judged, "the secret");

// The next webhook has signatures by both.
await page.getByRole("button", { name: "Rotate the secret" }).click();
await page.getByRole("dialog", { name: "Make a new secret?" }).getByRole("button", { name: "Rotate the secret" }).click();
await page.getByText("There is a new secret. The old one signs too, for 24 hours.").waitFor();
check(/^•+$/.test(await secret.locator("code").textContent()), "the old secret is still shown");
const fresh = await show();
check(fresh !== old, "the secret is the old one");
await write("by both secrets");
const both = await arrival("by both secrets");
check(isSigned(fresh, both) && isSigned(old, both), `the signatures ${both.headers["webhook-signature"]}`);
await secret.getByRole("button", { name: "Hide" }).click();
check(/^•+$/.test(await secret.locator("code").textContent()), "the secret is shown after it was hidden");

// The receiver ends its webhook. A later event fails, too.
status = 410;
await write("the first that is lost");
await card.getByText(/^Turned off at .+: the receiver answered 410/).waitFor();
await write("the second that is lost");
const fact = (name) => card.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
await eventually("two failed deliveries", async () => (await fact("Failed deliveries").textContent()) === "2");
const resend = page.getByRole("dialog", { name: "Send failed deliveries again" });
const openResend = () => card.getByRole("button", { name: "Resend since" }).click();
await openResend();
await resend.getByRole("button", { name: "Send again" }).click();
await resend.getByRole("alert").waitFor();
await page.keyboard.press("Escape");
await judged.reload();
await judged.getByRole("region", { name: "Incoming messages" }).getByText(/^Turned off at/).waitFor();
await judged.getByRole("region", { name: "Incoming messages" }).getByRole("button", { name: "Resend since" }).click();
await judged.getByRole("dialog", { name: "Send failed deliveries again" }).waitFor();
await judgeLooks(judged, "resending");

// It is turned on again by a save. The failed deliveries of a period that is over, then those until now.
status = 200;
await page.getByRole("button", { name: "Edit addresses" }).click();
await page.getByRole("dialog", { name: "Edit addresses" }).getByRole("button", { name: "Save" }).click();
await card.getByText("On", { exact: true }).waitFor();
const before = seen.length;
await openResend();
check((await resend.getByLabel("Webhook").inputValue()) === "INCOMING_MESSAGE", "the dialog is about another webhook");
await resend.getByLabel("Since").fill("2020-01-01T00:00");
await resend.getByLabel("Until").fill("2020-01-02T00:00");
await resend.getByRole("button", { name: "Send again" }).click();
await page.getByText("0 deliveries are sent again.").waitFor();
await openResend();
await resend.getByRole("button", { name: "Send again" }).click();
await page.getByText("2 deliveries are sent again.").waitFor();
for (const text of ["the first that is lost", "the second that is lost"]) await eventually(`"${text}" again`, () => seen.slice(before).some((one) => one.body.includes(text) && isSigned(fresh, one)));
await eventually("no failed delivery", async () => (await fact("Failed deliveries").textContent()) === "0");
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
receiver.close();
receiver.closeAllConnections();
console.log("ok");
