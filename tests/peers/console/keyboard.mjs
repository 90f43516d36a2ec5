// Every page by keyboard alone: its shortcut leads to it, Tab to each of its controls and to its parts. Then the pages of things that
// the client has, and the pages of operators.
import { readFileSync } from "node:fs";
import { api, browser, check, complaints, eventually, given, loaded, logIn, phone, press, tabTo, visit } from "./stage.mjs";
import { leaveFields, reachAll } from "./reach.mjs";

/** The keys, the title, and whether links at the top lead to parts. */
const PAGES = [
  ["gi", "Inbox"], ["ge", "Mentions"], ["gt", "Tickets"], ["gc", "Contacts"], ["gm", "Messages"], ["gs", "Sends"], ["gw", "Webhooks"],
  ["gn", "Numbers and sites", true], ["ga", "Administration", true], ["gd", "Supervision", true], ["gp", "Plugins"], ["gf", "Flows"],
];
const OPERATORS = ["", "/queues", "/connections", "/plugins", "/storage", "/clients"];

const chromium = await browser();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "a question" });
const page = await logIn(await chromium.newContext(), "/inbox/all");

for (const [keys, title, hasParts = false] of PAGES) {
  await leaveFields(page);
  await press(page, ...keys);
  await eventually(title, async () => (await page.title()).startsWith(`${title} `));
  // The page of mentions has no control without a note.
  await reachAll(page, title, title === "Mentions");
  const links = page.locator("#main nav").first().getByRole("link");
  const parts = hasParts ? await links.allTextContents() : [];
  for (const part of parts) {
    const link = page.locator("#main nav").first().getByRole("link", { name: part, exact: true });
    await tabTo(link);
    await press(link, "Enter");
    await eventually(`${title}: ${part}`, async () => (await link.getAttribute("aria-current")) === "page");
    await reachAll(page, `${title}: ${part}`);
  }
}

/** Gives the client things with pages of their own, and returns the addresses of these pages, each with a text on it. */
async function furnish() {
  for (const path of given.versions) await api("POST", "/plugin-service/api/v1/plugins?name=greeter", readFileSync(path));
  await api("POST", "/plugin-service/api/v1/plugins/greeter/activate", { version: 1, mode: "live" });
  await api("POST", "/plugin-service/api/v1/plugins/greeter/activate", { version: 2, mode: "canary", percent: 50 });
  const hook = await api("POST", "/messaging-service/WhatsApp/WhatsAppClientWebHook", { incomingMessageURL: "http://127.0.0.1:9/incoming" });
  const site = await api("POST", "/messaging-service/web/sites", { name: "Shop", origins: ["https://shop.example"] });
  await api("POST", "/messaging-service/WhatsApp/templates/sync");
  const { content: templates } = await api("GET", "/messaging-service/WhatsApp/templates?size=100");
  const template = templates.find((one) => one.name === "order_ready");
  const sent = await api("POST", "/whatsapp-api-service/v2/channels/whatsapp", {
    sender: given.number, messageType: "NOTIFICATION", templateName: template.name, templateId: template.id,
    messages: [{ recipients: [{ to: `+${given.phone}`, ctId: "by-key" }], components: [{ type: "body", parameters: ["Thandi", "42"] }, { type: "button", parameters: ["42"] }] }],
  });
  const { content: [chat] } = await api("GET", "/chat-service/api/v2/chats?scope=all");
  const { content: [message] } = await eventually("the message", async () => {
    const found = await api("GET", "/messaging-service/WhatsApp/messages?ctId=by-key");
    return found.content.length && found;
  });
  const plugin = ["", "/trial", "/log", "/conversations", "/recordings", "/tester", "/events"];
  return [
    [`/inbox/all/${chat.id}`, "a question"], ["/plugins", "greeter"], ...plugin.map((part) => [`/plugins/greeter${part}`, "greeter"]), ["/sends", "order_ready"], ["/sends/new", "order_ready"],
    [`/sends/${sent.batchId ?? message.batchId}`, "order_ready"], [`/messages/${message.gstId}`, "Provider call"], ...["overview", "deliveries", "live"].map((part) => [`/webhooks/${hook.id}/${part}`, "Webhooks"]),
    ["/numbers/sites", "Shop"], [`/numbers/sites/${site.id}`, "Origins"], ["/flows/new/faq", "Questions and answers"],
  ];
}
for (const [path, text] of await furnish()) {
  await page.goto(`${given.base}/console${path}`);
  await eventually(`"${text}" on ${path}`, () => page.locator("#main").getByText(text).first().isVisible());
  await reachAll(page, path);
}

// The side of the editor of flows: the form of the card to which the arrow keys lead, and the other parts.
const card = page.locator(".flow-card.selected");
await tabTo(card);
await press(card, "ArrowRight");
await eventually("the next card", () => card.evaluate((one) => one === document.activeElement && !one.matches(".entry")));
await press(card, "Enter");
await page.getByLabel("Name of the node").waitFor();
const tab = page.getByRole("tab", { selected: true });
for (const part of ["Node", "Flow", "Test", "Source"]) {
  if (part !== "Node") {
    await tabTo(tab);
    await press(tab, "ArrowRight");
    await page.getByRole("tab", { name: part, exact: true, selected: true }).waitFor();
  }
  await reachAll(page, `the part ${part} of the editor`);
}
check(complaints(page).length === 0, complaints(page).join("\n"));

// The pages of operators, whose login is reached by keyboard, too.
const service = await visit(await chromium.newContext(), `${given.base}/console`);
const entrance = service.getByRole("button", { name: "Log in as operator of this server" });
await tabTo(entrance);
await press(entrance, "Enter");
await press(service.getByLabel("Key of the operator"), ...given.operator, "Enter");
await service.getByRole("heading", { level: 1, name: "Operation" }).waitFor();
for (const part of OPERATORS) {
  await service.goto(`${given.base}/console/operators${part}`);
  await service.locator("main section").first().waitFor();
  await reachAll(service, `operators${part}`);
}
check(complaints(service).length === 0, complaints(service).join("\n"));
await chromium.close();
console.log("ok");
