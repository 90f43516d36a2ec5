// A failed webhook is found, its receiver mended, and the webhook sent again. Then a ping and the live tail.
import { createServer } from "node:http";
import { browser, check, complaints, eventually, given, judgeLooks, logIn, phone } from "./stage.mjs";

const seen = [];
let broken = true;
const receiver = createServer((request, response) => {
  request.resume().on("end", () => {
    seen.push(request.headers["webhook-id"]);
    response.writeHead(broken ? 500 : 200).end(broken ? "no column order_id" : "");
  });
});
await new Promise((ready) => receiver.listen(0, "127.0.0.1", ready));

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/webhooks");
await page.getByRole("button", { name: "Set up webhooks" }).click();
await page.getByLabel("Incoming messages").fill(`http://127.0.0.1:${receiver.address().port}/incoming`);
await page.getByRole("button", { name: "Save" }).click();
const card = page.getByRole("region", { name: "Incoming messages" });
await card.getByText("/incoming").waitFor();

// The failed attempt with the answer of the receiver, and the request.
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "where is it?" });
await eventually("the first attempt", async () => seen.length > 0);
await card.getByRole("link", { name: "Deliveries" }).click();
await page.getByRole("checkbox", { name: "Failed attempts only" }).check();
const row = page.getByRole("row").filter({ hasText: "500" }).first();
await eventually("the attempt in the list", async () => {
  if ((await row.count()) === 0) await page.getByRole("button", { name: "Load again" }).click();
  return row.isVisible();
});
await row.getByRole("button").first().click();
const delivery = page.getByRole("dialog", { name: "Delivery" });
await delivery.getByText("no column order_id").first().waitFor();
await delivery.getByText('"where is it?"').waitFor();
check(page.url().includes(`delivery=${seen[0]}`), `the address names the delivery: ${page.url()}`);

broken = false;
const before = seen.length;
await delivery.getByRole("button", { name: "Send again" }).click();
await delivery.locator("dd").getByText("Delivered").waitFor();
await delivery.locator('[data-received="true"]').waitFor();
check(seen.slice(before).includes(seen[0]), "the webhook came again with its id");
await page.keyboard.press("Escape");

await page.getByRole("link", { name: "Overview", exact: true }).click();
await card.getByRole("button", { name: "Ping" }).click();
await card.getByText("Received in").waitFor();

await page.getByRole("link", { name: "Live", exact: true }).click();
await page.getByText("Listens").waitFor();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "and now?" });
await page.getByRole("list", { name: "Live" }).getByText("and now?").first().waitFor();

check(complaints(page).length === 0, complaints(page).join("\n"));

// The parts and a delivery, judged in both schemes and on a small screen.
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), "/webhooks");
await judged.getByRole("region", { name: "Incoming messages" }).getByText("/incoming").waitFor();
await judgeLooks(judged, "the overview");
const parts = judged.getByRole("navigation", { name: "Webhooks", exact: true });
await parts.getByRole("link", { name: "Deliveries" }).click();
await judged.getByRole("region", { name: "Deliveries" }).waitFor();
await judgeLooks(judged, "the deliveries");
// On a phone the filters stand above the buttons.
const usual = judged.viewportSize();
await judged.setViewportSize({ width: 360, height: 740 });
const [words, button] = await Promise.all([judged.getByText("Failed attempts only").boundingBox(), judged.getByRole("button", { name: "Resend since" }).boundingBox()]);
check(words.y + words.height <= button.y || words.x + words.width <= button.x, "a filter lies under a button");
await judged.setViewportSize(usual);
await judged.getByRole("region", { name: "Deliveries" }).getByRole("row").nth(1).getByRole("button").first().click();
await judged.getByRole("dialog", { name: "Delivery" }).getByText("webhook-id").first().waitFor();
await judgeLooks(judged, "a delivery");
await judged.keyboard.press("Escape");
await parts.getByRole("link", { name: "Live", exact: true }).click();
await judged.getByText("Listens").waitFor();
await judgeLooks(judged, "the live tail");
await chromium.close();
receiver.close();
receiver.closeAllConnections();
console.log("ok");
