// The pages of developers: judged by axe-core in light and dark, and at 360 pixels; a key made and removed by keyboard alone.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { browser, check, complaints, eventually, findings, given, judgeLooks, loaded, logIn, phone, press, tabTo, visit } from "./stage.mjs";

const PAGES = [
  ["/messages", "Find a message"], ["/sends", "New send"], ["/sends/new", "order_ready"], ["/webhooks", "No webhooks yet"], ["/numbers/whatsapp", "WhatsApp Cloud"], ["/numbers/messenger", "No pages yet"], ["/numbers/telegram", "No bots yet"], ["/numbers/sites", "No sites yet"],
  ["/administration/keys", "No test keys yet"], ["/administration/users", "Administrator"], ["/administration/teams", "Add a team"], ["/administration/attributes", "No attributes yet"], ["/administration/blocklist", "Nothing is blocked"],
  ["/administration/sms", "SMS credits"], ["/administration/rates", "Add a rate"], ["/administration/requests", "requestId"], ["/administration/audit", "Verify the chain"],
];

const chromium = await browser();
const shown = (page, text) => eventually(text, () => page.locator("#main").getByText(text).first().isVisible());
for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
  // The judge needs more than the page's policy allows.
  const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true, viewport: { width, height: 720 } });
  const page = await logIn(context, "/messages");
  for (const [path, text] of PAGES) {
    // Within the page, so that the session stays.
    await page.evaluate((to) => {
      history.pushState(null, "", `/console${to}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
    await shown(page, text);
    await loaded(page);
    const found = await findings(page);
    check(found.length === 0, `${colorScheme} ${path}: ${found.join("\n")}`);
    const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
    check(wide <= width, `${path} is ${wide} pixels wide`);
  }
  check(complaints(page).length === 0, complaints(page).join("\n"));
  await context.close();
}

// By keyboard alone.
const page = await logIn(await chromium.newContext(), "/messages");
await page.evaluate(() => document.activeElement?.blur?.());
await press(page, "g", "a");
await shown(page, "No test keys yet");
const add = page.getByRole("button", { name: "Add a test key" });
await tabTo(add);
// At once: the dialog takes the next key.
await press(add, "Enter", ..."continuous tests", "Enter");
await shown(page, "Copy this key now");
const remove = page.getByRole("button", { name: "Remove continuous tests" });
await tabTo(remove);
await press(remove, "Enter");
await press(page.getByRole("dialog").getByRole("button", { name: "Delete" }), "Enter");
await shown(page, "No test keys yet");

// The audit log has both changes of the key, is searched by the kind of object, and is exported as it was searched.
await page.getByRole("link", { name: "Audit log" }).click();
const entries = page.getByRole("region", { name: "Audit log" }).getByRole("row");
const actions = async (rows) => (await rows.locator("code").allTextContents()).join();
await eventually("both changes of the key", async () => (await actions(entries.filter({ hasText: "testKey" }))) === "delete,create");
await page.getByLabel("Action", { exact: true }).fill("no such action");
await shown(page, "Nothing was found");
await page.getByLabel("Action", { exact: true }).fill("");
await page.getByLabel("Object", { exact: true }).fill("testKey");
await eventually("the entries of test keys alone", async () => (await actions(entries)) === "delete,create");
await page.getByRole("button", { name: "Export these entries" }).click();
const [log] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "CSV" }).click()]);
check(log.suggestedFilename() === "audit.csv", `the export is ${log.suggestedFilename()}`);
// In the order of the chain.
const [, ...lines] = readFileSync(await log.path(), "utf8").trim().split(/\r?\n/);
check(lines.map((line) => line.split(",").slice(4, 6).join(" ")).join() === "create testKey,delete testKey", `the export has ${lines.join("\n")}`);

// A server that cannot be reached is asked again without a click.
await page.route("**/WhatsApp/blocklist*", (route) => route.abort());
await page.getByRole("link", { name: "Blocklist" }).click();
await shown(page, "The server cannot be reached");
await page.unroute("**/WhatsApp/blocklist*");
await shown(page, "Nothing is blocked");

// A fault of a field is said once.
await page.getByRole("button", { name: "Block recipients" }).click();
const block = page.getByRole("dialog", { name: "Block recipients" });
await block.getByLabel("Recipients", { exact: true }).fill("nonsense");
await block.getByRole("button", { name: "Block recipients" }).click();
await block.getByRole("alert").waitFor();
const said = (await block.getByRole("alert").textContent()) ?? "";
check(said.split("neither a phone number").length === 2, `the fault is ${said}`);
await page.keyboard.press("Escape");

// A new rate takes the next keys.
await page.getByRole("link", { name: "Rate card" }).click();
await shown(page, "No rates yet");
await page.getByRole("button", { name: "Add a rate" }).click();
await eventually("the focus of the new rate", async () => (await page.evaluate(() => document.activeElement?.getAttribute("value") ?? document.activeElement?.value)) === "*");

// The server reads the quality and the tier of a new number from the provider.
await page.getByRole("link", { name: "Numbers and sites" }).click();
const cloud = page.getByRole("region", { name: `+${given.number}` });
await cloud.getByText("Good", { exact: true }).waitFor();
await cloud.getByText("No limit", { exact: true }).waitFor();

// The number counts the customers to whom free text may be sent. At first there is none; one writes, and no other phone does.
const windows = cloud.getByRole("definition").filter({ hasText: /^[01]$/ });
check((await windows.textContent()) === "0", "a window is open before a customer wrote");
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "Is the shop open?" });
await eventually("the open window", async () => {
  await page.getByRole("link", { name: "Messages", exact: true }).click();
  await page.getByRole("link", { name: "Numbers and sites" }).click();
  return (await windows.textContent()) === "1";
});

// A Lite number is paired by its code, which the simulated phone scans.
await page.getByRole("button", { name: "Register a Lite number" }).click();
const lite = `2799${given.phone.slice(-7)}`;
await page.getByLabel("Number", { exact: true }).fill(`+${lite}`);
await page.getByRole("button", { name: "Add", exact: true }).click();
await page.getByRole("region", { name: `+${lite}` }).getByRole("button", { name: "Pair with a phone" }).click();
const qr = page.getByRole("img", { name: "QR code" });
const shownCode = () => qr.getAttribute("data-code");
const device = async (deed, body) => {
  const answer = await fetch(`${given.phones}/lite/devices/${lite}/${deed}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  check(answer.ok, `${deed} of the Lite phone: ${answer.status}`);
};
const first = await shownCode();
// The code says how long it is valid, and the next one takes its place by itself.
const validity = page.getByRole("dialog").locator(".code-validity");
check(/^Valid for \d+ s\.$/.test((await validity.textContent()) ?? ""), `the code is ${await validity.textContent()}`);
await device("befall", { event: "next_code" });
await eventually("another code", async () => (await shownCode()) !== first);
check(/^Valid for (1?\d|20) s\.$/.test((await validity.textContent()) ?? ""), `the next code is ${await validity.textContent()}`);
await device("scan", { code: await shownCode() });
await page.getByRole("region", { name: `+${lite}` }).getByText("Connected", { exact: true }).waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));

// The preview of a site is the widget itself with the settings that are typed, at each key and before they are saved. It makes no call.
const calls = [];
page.context().on("request", (request) => calls.push(`${request.method()} ${new URL(request.url()).pathname}`));
page.on("websocket", (socket) => calls.push(`SOCKET ${new URL(socket.url()).pathname}`));
await page.getByRole("link", { name: "Sites", exact: true }).click();
await page.getByRole("button", { name: "Add a site" }).click();
const site = page.getByRole("dialog", { name: "Add a site" });
await site.getByLabel("Name", { exact: true }).fill("Shop");
await site.getByLabel("Origins").fill("https://shop.example");
await site.getByRole("button", { name: "Add", exact: true }).click();
await page.getByRole("heading", { level: 1, name: "Shop" }).waitFor();
const preview = page.getByRole("region", { name: "Preview" });
const widget = preview.frameLocator("iframe").locator("patchbay-chat");
const says = (part, text) => eventually(`"${text}" in the preview`, async () => (await widget.locator(part).first().textContent()) === text);
const color = (part) => widget.locator(part).evaluate((one) => getComputedStyle(one).backgroundColor);
const atStart = () => widget.locator(".launcher").evaluate((one) => one.getBoundingClientRect().left < innerWidth / 2);
await says(".head h2", "Chat");
const title = page.getByLabel("Title", { exact: true });
await title.focus();
await press(title, "A");
await says(".head h2", "A");
await press(title, ..."sk us");
await says(".head h2", "Ask us");
await page.getByLabel("Greeting", { exact: true }).fill("Good day");
await says(".log .bubble", "Good day");
await page.getByLabel("Colour", { exact: true }).fill("#AA0055");
await eventually("the typed colour", async () => (await color(".head")) === "rgb(170, 0, 85)");
check(!(await atStart()), "the button is at the end");
await page.getByLabel("Side", { exact: true }).selectOption("START");
await eventually("the button at the start", atStart);
const light = await color(".panel");
await page.getByLabel("Light or dark").selectOption("DARK");
await eventually("the dark preview", async () => (await color(".panel")) !== light);
const state = preview.getByLabel("State of the chat");
await state.selectOption("QUEUED");
await says(".status", "We are connecting you with an agent. You can continue to write.");
await state.selectOption("CLOSED");
await widget.locator(".panel").waitFor({ state: "hidden" });
// The frame is the last part of the page.
await state.focus();
await page.keyboard.press("Tab");
check(await page.evaluate(() => document.activeElement?.tagName !== "IFRAME"), "Tab leads into the preview");
const files = ["GET /web-chat/preview", "GET /web-chat/widget.js"];
check(files.every((one) => calls.includes(one)), `the preview is loaded: ${calls.join(", ")}`);
const others = calls.filter((one) => one.includes("/web-chat/") && !files.includes(one));
check(others.length === 0, `calls of the preview: ${others.join(", ")}`);
check(!calls.some((one) => one.startsWith("PUT /messaging-service/web/sites")), "nothing was saved");
check(complaints(page).length === 0, complaints(page).join("\n"));

// Another site shows the widget by its tag, with the settings that were saved.
const shop = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><html lang="en"><title>Shop</title><body>${tag}</body></html>`));
await new Promise((ready) => shop.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${shop.address().port}`;
await page.getByLabel("Origins").fill(`https://shop.example\n${origin}`);
await page.getByRole("button", { name: "Save" }).click();
await page.getByText("The site is saved. Widgets show it when their page is loaded again.").waitFor();
await page.reload();
check((await title.inputValue()) === "Ask us" && (await page.getByLabel("Side", { exact: true }).inputValue()) === "START", "the saved settings are lost");
const tag = (await page.getByRole("group", { name: "Script tag" }).textContent()).trim();
check(tag.includes(`src="${given.base}/`), `the tag is ${tag}`);
const visitor = await visit(await chromium.newContext(), origin);
const chat = visitor.locator("patchbay-chat");
await chat.locator(".launcher").click();
await eventually("the saved title", async () => (await chat.locator(".head h2").textContent()) === "Ask us");
check((await chat.locator(".head").evaluate((one) => getComputedStyle(one).backgroundColor)) === "rgb(170, 0, 85)", "the saved colour is lost");
shop.close();
shop.closeAllConnections();

const settings = new URL(page.url()).pathname.replace("/console", "");
const judged = await logIn(await chromium.newContext({ bypassCSP: true, reducedMotion: "reduce" }), settings);
await judged.getByRole("region", { name: "Preview" }).waitFor();
await judgeLooks(judged, "the settings of a site");
check(complaints(judged).length === 0, complaints(judged).join("\n"));
await chromium.close();
console.log("ok");
