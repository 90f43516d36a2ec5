// An author begins with a ready flow, draws a node into it, mends what the checker finds, talks to it, activates it and changes it again.
import { browser, check, complaints, eventually, findings, given, isFull, logIn, phone } from "./stage.mjs";

const chromium = await browser();
const page = await logIn(await chromium.newContext({ viewport: { width: 1400, height: 900 } }), "/flows");
const card = (name) => page.getByRole("group", { name });
const tab = (name) => page.getByRole("tab", { name, exact: true });
const panel = page.getByRole("tabpanel");
const found = page.getByRole("region", { name: "Findings of the checker" });
const says = (text) => eventually(`the checker says "${text}"`, async () => (await found.getAttribute("data-checked")) === "true" && (await found.textContent()).includes(text));
const focused = (locator) => eventually("the focus", () => locator.evaluate((one) => one === document.activeElement));
const place = (locator) => locator.evaluate((one) => one.style.transform);

await page.getByRole("link", { name: "Questions and answers" }).click();
await page.getByRole("heading", { level: 1, name: "Questions and answers" }).waitFor();
await says("No findings");

// By keyboard: to another card, moved, and back.
await card(/^Condition: known-language/).focus();
await page.keyboard.press("ArrowRight");
await focused(card(/^Menu: language/));
const before = await place(card(/^Menu: language/));
await page.keyboard.press("Shift+ArrowDown");
await eventually("a moved card", async () => (await place(card(/^Menu: language/))) !== before);
await page.keyboard.press("Control+z");
await eventually("the card at its place", async () => (await place(card(/^Menu: language/))) === before);
await page.keyboard.press("Enter");
await focused(panel.getByLabel("Name of the node"));
await panel.getByLabel("Leads to").first().waitFor();

// A new node: without a way to it, and without a way on.
await page.getByRole("button", { name: "Show all" }).click();
await card(/^Close: goodbye/).click();
await page.getByRole("button", { name: "Add a node" }).click();
await page.getByRole("dialog", { name: "Add a node" }).getByRole("button", { name: /^Message/ }).click();
await says("is not reachable: no way leads to it");
await says("dead end");
await found.getByRole("button", { name: /next.*dead end/ }).click();
await focused(panel.getByLabel("Leads to"));
await panel.getByLabel("Leads to").selectOption("goodbye");

// The way to it is drawn by the pointer.
await page.getByRole("button", { name: "Show all" }).click();
const way = card(/^Menu: more/).locator(".flow-way").filter({ hasText: "No, thank you" }).locator(".flow-plug");
const [from, to] = [await way.boundingBox(), await card(/^Message: message/).boundingBox()];
await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
await page.mouse.down();
await page.mouse.move(from.x + 30, from.y + 30, { steps: 3 });
await page.mouse.move(to.x + to.width / 2, to.y + 8, { steps: 5 });
await page.mouse.up();
await says("No findings");

// A missing translation is found, and its field gets the focus.
await card(/^Message: message/).click();
await panel.getByLabel("Text (af)").fill("");
await says("has no translation for af");
await found.getByRole("button", { name: /message text has no translation for af/ }).click();
await focused(panel.getByLabel("Text (af)"));
await panel.getByLabel("Text (af)").fill("Dankie vir u tyd!");
await says("No findings");

// A test conversation shows where it is.
await tab("Test").click();
const field = panel.getByLabel("Write as the customer");
await field.fill("hi");
await field.press("Enter");
await card(/^Menu: language.*The test is here/).waitFor();
await panel.getByRole("log").getByRole("button", { name: "English" }).click();
await card(/^Menu: questions.*The test is here/).waitFor();
check((await panel.getByRole("log").textContent()).includes("How can we help you?"), "the bot's text");

// The source changes the drawing, and the drawing changes the source.
await tab("Source").click();
const source = panel.getByLabel("Source (JSON)");
const flow = JSON.parse(await source.inputValue());
check(flow.nodes.message.text.af === "Dankie vir u tyd!" && flow.nodes.more.options[1].next === "message", "the source has the changes");
await source.fill("{");
await panel.getByText("This is not JSON").waitFor();
flow.nodes.payment.text.en = "Cards only.";
await source.fill(JSON.stringify(flow));
await card(/^Message: payment/).getByText("Cards only.").waitFor();
await says("No findings");

// An activation says what changes.
const activate = async () => {
  await page.getByRole("button", { name: "Activate" }).click();
  return page.getByRole("dialog", { name: "Activate the flow" });
};
let dialog = await activate();
await dialog.getByText("All inboxes: a flow with 10 nodes answers from now on. It makes no requests to other systems.").waitFor();
await dialog.getByRole("button", { name: "Activate", exact: true }).click();
await page.getByRole("heading", { level: 1, name: "All inboxes" }).waitFor();
await phone("POST", `${given.phone}/messages`, { to: given.number, text: "menu" });
await eventually("the answer of the flow on the phone", async () => (await phone("GET", `${given.phone}/inbox`)).messages.some((one) => one.text === "How can we help you?"));
await card(/^Message: payment/).click();
await tab("Node").click();
await panel.getByLabel("Text (en)").fill("Cards and cash.");
await page.getByText("Not activated yet").waitFor();
await says("No findings");
dialog = await activate();
await dialog.getByText("All inboxes: the present flow is replaced. One node changes: payment. The allowed hosts stay.").waitFor();
await page.keyboard.press("Escape");

// A draft and the places of cards survive a reload. A removed node is missed by the checker, and comes back.
await card(/^Message: payment/).focus();
const there = await place(card(/^Message: payment/));
await page.keyboard.press("Shift+ArrowUp");
await eventually("a moved card", async () => (await place(card(/^Message: payment/))) !== there);
const moved = await place(card(/^Message: payment/));
await page.reload();
await card(/^Message: payment/).getByText("Cards and cash.").waitFor();
check((await place(card(/^Message: payment/))) === moved, "the card is where it was moved");
await card(/^Message: delivery/).focus();
await page.keyboard.press("Delete");
await card(/^Message: delivery/).waitFor({ state: "detached" });
await says("options/0/next");
await page.keyboard.press("Control+z");
await card(/^Message: delivery/).waitFor();
await says("No findings");

// The plugin's page leads here.
await page.goto(`${given.base}/console/plugins/flow`);
await page.getByRole("link", { name: "Edit the flow" }).click();
await card(/^Message: payment/).waitFor();
check(complaints(page).length === 0, complaints(page).join("\n"));

const LOOKS = [["light", 1400, "en"], ["dark", 360, "de"]];
const MORE_LOOKS = [["dark", 1400, "de"], ["light", 360, "en"]];
for (const [colorScheme, width, language] of isFull ? [...LOOKS, ...MORE_LOOKS] : LOOKS) {
  const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true, viewport: { width, height: 740 } });
  const seen = await logIn(context, "/flows");
  await seen.evaluate((name) => localStorage.setItem("patchbay.preferences", JSON.stringify({ language: name })), language);
  await seen.reload();
  const judge = async (name) => {
    await seen.getByRole("heading", { level: 1 }).waitFor();
    await eventually("the end of loading", async () => (await seen.locator("main [aria-busy=true]").count()) === 0);
    const wrong = await findings(seen);
    check(wrong.length === 0, `${colorScheme} ${width} ${name}: ${wrong.join("\n")}`);
    check(await seen.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth), `${name} is wider than the screen of ${width}`);
  };
  await judge("the list");
  for (const path of ["/flows/live/all", "/flows/new/order-status"]) {
    await seen.goto(`${given.base}/console${path}`);
    await seen.getByRole("tab").first().waitFor();
    const tabs = await seen.getByRole("tab").count();
    check(tabs === (width === 360 ? 5 : 4), `${tabs} tabs`);
    for (let at = 0; at < tabs; at += 1) {
      await seen.getByRole("tab").nth(at).click();
      await judge(`${path}, part ${at}`);
    }
  }
  if (width === 360) {
    await seen.getByRole("tab").first().click();
    await seen.getByRole("button", { name: /^look-up/ }).first().click();
    await seen.getByRole("tabpanel").locator("input").first().waitFor();
    await judge("a node");
  } else {
    await seen.getByRole("button", { name: /^(Add a node|Knoten hinzufügen)$/ }).click();
    await seen.getByRole("dialog").waitFor();
    await judge("a new node");
  }
  await context.close();
}
await chromium.close();
console.log("ok");
