// A developer finds a message by its number and by its batch, and reads its story: the decision of a plugin with its version and its
// reason, and a webhook that failed and was delivered at the next attempt.
import { createServer } from "node:http";
import { api, browser, check, complaints, eventually, given, judgeLooks, logIn, phone, upload } from "./stage.mjs";

// The first status is refused.
const told = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += part)).on("end", () => {
    told.push({ id: request.headers["webhook-id"], about: JSON.parse(body) });
    response.writeHead(told.length === 1 ? 503 : 200).end();
  });
});
await new Promise((ready) => receiver.listen(0, "127.0.0.1", ready));

const chromium = await browser();
const page = await logIn(await chromium.newContext(), "/plugins");
await upload(page, "Upload", "polite", given.versions[0]);
await page.getByRole("button", { name: "Activate", exact: true }).first().click();
await page.getByRole("dialog", { name: "Activate polite" }).getByRole("button", { name: "Activate", exact: true }).click();
await page.getByRole("dialog", { name: "Activate polite" }).waitFor({ state: "detached" });
await api("POST", "/messaging-service/WhatsApp/WhatsAppClientWebHook", { statusUpdateURL: `http://127.0.0.1:${receiver.address().port}/status` });

// A send to a number that WhatsApp does not know, and to one that it knows.
const lost = `2784${given.phone.slice(-7)}`;
await phone("PUT", lost, { onWhatsApp: false });
const { content } = await api("GET", "/messaging-service/WhatsApp/templates?size=200");
const template = content.find((one) => one.name === "order_ready");
const recipients = [lost, given.phone].map((to) => ({ to, ctId: `ct-${to}` }));
const send = (text, ...people) => api("POST", "/whatsapp-api-service/v2/channels/whatsapp", {
  sender: given.number, messageType: "NOTIFICATION", templateName: template.name, templateId: template.id, fallback: { sendFallback: true, text },
  messages: [{ recipients: people, components: [{ type: "body", parameters: ["Thandi", "#42"] }, { type: "button", parameters: ["42"] }] }],
});
const { batchId } = await send("please be quiet", ...recipients);

// By the number as people write it: one message, whose story opens at once.
const search = page.getByRole("searchbox", { name: "Find a message" });
const results = page.getByRole("region", { name: "Messages found" });
const story = page.getByRole("region", { name: "Story of the message" });
await page.getByRole("link", { name: "Messages", exact: true }).click();
await search.fill(`+${lost.slice(0, 2)} ${lost.slice(2, 4)} ${lost.slice(4, 7)} ${lost.slice(7)}`);
await results.getByRole("region", { name: "Messages to this recipient" }).getByText(`ct-${lost}`).waitFor();
await story.getByRole("heading", { name: `+${lost}` }).waitFor();

// The decision, with the version and the reason of the plugin.
const event = (name) => story.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });
await event("Decision of a plugin").getByText("polite · version 1 · sent no fallback").waitFor();
await event("Decision of a plugin").getByText("Reason: the text asks for quiet").waitFor();
await story.getByText(/^131026 /).first().waitFor();

// The webhook of a status, with the attempt that failed and the one that arrived.
await eventually("the repeated webhook", () => told.filter((one) => one.id === told[0].id).length > 1);
await search.fill(told[0].about.gstId);
await results.getByRole("region", { name: "Message with this gstId" }).waitFor();
await story.getByText(told[0].about.gstId).first().waitFor();
await story.getByRole("switch", { name: "All details" }).click();
const webhook = story.getByRole("listitem").filter({ hasText: "HTTP 503" });
await webhook.getByText(/2 attempts · HTTP 200$/).waitFor();
check((await webhook.locator(".attempt.danger-text").allTextContents()).join().includes("Attempt 1HTTP 503"), "the attempt that failed");
check((await webhook.locator(".attempt:not(.danger-text)").allTextContents()).join().includes("Attempt 2HTTP 200"), "the attempt that arrived");
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), `${new URL(page.url()).pathname.replace("/console", "")}?view=full`);
await judged.getByText("HTTP 503").first().waitFor();
await judgeLooks(judged, "a story with a repeated webhook");
await webhook.getByRole("link", { name: "Request and answer" }).click();
await page.getByRole("dialog", { name: "Delivery" }).getByText(told[0].id).first().waitFor();
await page.keyboard.press("Escape");

// By the batch: all its messages, and the way to it. None is chosen.
await page.getByRole("link", { name: "Messages", exact: true }).click();
await search.fill(batchId);
const group = results.getByRole("region", { name: "Batch with this id" });
for (const to of [lost, given.phone]) await group.getByRole("link").filter({ hasText: `+${to}` }).waitFor();
await story.getByText("Choose a message").waitFor();
await judged.goto(page.url());
await judged.getByRole("region", { name: "Batch with this id" }).waitFor();
await judgeLooks(judged, "the messages of a batch");
await group.getByRole("link").filter({ hasText: `+${given.phone}` }).click();
await story.getByRole("heading", { name: `+${given.phone}` }).waitFor();
check((await search.inputValue()) === batchId, "the search is lost");
await group.getByRole("link", { name: "Open the batch" }).click();
await eventually("the batch", () => page.url().endsWith(`/console/sends/${batchId}`));
await page.getByText("2 of 2 processed").waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
receiver.close();
receiver.closeAllConnections();
console.log("ok");
