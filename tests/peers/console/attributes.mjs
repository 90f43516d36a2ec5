// An administrator defines attributes, an agent sets a value at a contact, and a removal takes the value with it.
import { browser, check, complaints, eventually, findings, given, loaded, logIn, press, tabTo } from "./stage.mjs";

const chromium = await browser();
// The judge needs more than the page's policy allows.
const judged = { bypassCSP: true, reducedMotion: "reduce" };
const page = await logIn(await chromium.newContext(judged), "/administration/attributes");
const dialog = (name) => page.getByRole("dialog", { name, exact: true });
const row = (name) => page.getByRole("region", { name: "Attributes" }).getByRole("row").filter({ hasText: name });
const judge = async (name) => {
  const found = await findings(page);
  check(found.length === 0, `${name}: ${found.join("\n")}`);
};
await page.getByText("No attributes yet").waitFor();

// A choice that is there twice is refused at its field.
const add = page.getByRole("button", { name: "Add an attribute" });
await add.click();
const form = dialog("Add an attribute");
await form.getByLabel("Label", { exact: true }).fill("Plan");
await form.getByLabel("Name for plugins").fill("plan");
await form.getByLabel("Type").selectOption("CHOICE");
await form.getByLabel("Choices").fill("silver\ngold\n\ngold");
await form.getByRole("button", { name: "Add", exact: true }).click();
await form.getByText("“gold” is there already").waitFor();
check((await form.getByLabel("Choices").getAttribute("aria-invalid")) === "true", "the field is marked");
await judge("a refused definition");
await form.getByLabel("Choices").fill("silver\ngold");
await form.getByRole("button", { name: "Add", exact: true }).click();
await row("Plan").getByText("silver, gold").waitFor();

// Another one by keyboard alone. A name that is in use is refused before it replaces the other definition.
await tabTo(add);
// At once: the dialog takes the next key.
await press(add, "Enter", ..."Visits");
const name = form.getByLabel("Name for plugins");
await tabTo(name);
await press(name, ..."plan");
await form.getByText("Another attribute has this name.").waitFor();
check(await form.getByRole("button", { name: "Add", exact: true }).isDisabled(), "a name in use is not sent");
await press(name, ..."-visits", "Enter");
await row("Visits").getByText("plan-visits").waitFor();
const remove = page.getByRole("button", { name: "Remove Visits" });
await tabTo(remove);
await press(remove, "Enter");
await press(dialog("Delete the attribute Visits with its values?").getByRole("button", { name: "Delete" }), "Enter");
await eventually("the end of Visits", async () => (await row("Visits").count()) === 0);

// An agent sets the value.
const agent = await logIn(await chromium.newContext(), "/contacts", given.agent);
const contact = agent.getByRole("dialog", { name: "Thandi", exact: true });
const open = async () => {
  await agent.getByRole("row").filter({ hasText: "Thandi" }).getByRole("button").click();
  await eventually("the contact", async () => (await contact.getByLabel("Add a tag").count()) === 1 && (await contact.locator(".skeleton").count()) === 0);
};
const close = () => contact.getByRole("button", { name: "Close" }).click();
await agent.getByRole("button", { name: "New contact" }).click();
await agent.getByRole("dialog", { name: "New contact" }).getByLabel("Name").fill("Thandi");
await agent.getByRole("dialog", { name: "New contact" }).getByLabel("Number").fill("+27820000003");
await agent.getByRole("dialog", { name: "New contact" }).getByRole("button", { name: "Save" }).click();
await open();
const stored = agent.waitForResponse((answer) => answer.request().method() === "PUT" && answer.url().endsWith("/attributes"));
await contact.getByLabel("Plan").selectOption("gold");
check((await stored).ok(), "the value is stored");
await close();

// Another label, and a choice left out: the contact keeps it.
await row("Plan").getByRole("button", { name: "Edit Plan" }).click();
const change = dialog("Plan");
await change.getByLabel("Label", { exact: true }).fill("Tariff");
await change.getByLabel("Choices").fill("silver");
await change.getByRole("button", { name: "Save" }).click();
await row("Tariff").getByText("Choice", { exact: true }).waitFor();
await open();
check((await contact.getByLabel("Tariff").inputValue()) === "gold", "the contact keeps its value");
await close();

// On a small screen, in light and dark.
await page.setViewportSize({ width: 360, height: 740 });
for (const colorScheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme });
  const fits = async (what) => check(await page.evaluate(() => document.documentElement.scrollWidth <= 360 && document.body.scrollWidth <= 360), `${what} is wider than the screen`);
  await judge(`${colorScheme} list`);
  await fits("the list");
  for (const [button, title] of [["Edit Tariff", "Tariff"], ["Remove Tariff", "Delete the attribute Tariff with its values?"]]) {
    await row("Tariff").getByRole("button", { name: button }).click();
    await dialog(title).waitFor();
    await judge(`${colorScheme} ${title}`);
    await fits(title);
    await page.keyboard.press("Escape");
    await dialog(title).waitFor({ state: "detached" });
  }
}

// The confirmation says what is lost.
await row("Tariff").getByRole("button", { name: "Remove Tariff" }).click();
const question = dialog("Delete the attribute Tariff with its values?");
await question.getByText("All contacts lose their value").waitFor();
await question.getByRole("button", { name: "Delete" }).click();
await page.getByText("No attributes yet").waitFor();
await loaded(page);
await open();
check((await contact.getByLabel("Tariff").count()) === 0, "the value is gone");
for (const one of [page, agent]) check(complaints(one).length === 0, complaints(one).join("\n"));
await chromium.close();
console.log("ok");
