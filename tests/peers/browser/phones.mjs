// The page with the simulated phones, as a newcomer meets it: the bot answers on every phone, a fault is seen, the keyboard is enough.
import { Phone, phonesContext } from "./phone.mjs";
import { browser, check, eventually, findings, focused, given, isFull, press, visit } from "./stage.mjs";

const chromium = await browser();

const GREETING = "How can we help you?";
const HOURS = "Monday to Friday";
const at = await phonesContext(chromium, { viewport: { width: 1800, height: 1000 } });
const page = await visit(at, given.page);
const whatsapp = new Phone(page, "WhatsApp");
const messenger = new Phone(page, "Messenger");
const telegram = new Phone(page, "Telegram");
await page.getByRole("status").getByText("Live").waitFor();

// The first words are offered, and the bot answers with buttons.
await whatsapp.log.getByRole("button", { name: "hi", exact: true }).click();
await whatsapp.sees(GREETING);
check((await whatsapp.log.getByText("Sent", { exact: true }).count()) === 1, "the own message has no tick");
await whatsapp.log.getByRole("button", { name: "Opening hours" }).click();
await whatsapp.sees(HOURS);
check((await whatsapp.log.locator("blockquote").count()) === 1, "a tap shows what it answers");
await whatsapp.root.getByRole("button", { name: /^Mark \d as read/ }).click();
await eventually("all to be read", async () => (await whatsapp.root.getByRole("button", { name: /as read/ }).count()) === 0);

// The same on the other phones.
await messenger.write("hi");
await messenger.sees(GREETING);
await messenger.log.getByRole("button", { name: "Opening hours" }).click();
await messenger.sees(HOURS);
check((await messenger.log.getByRole("button", { name: "Talk to a person" }).count()) === 0, "quick replies stay after an answer");
await telegram.write("hi");
await telegram.sees(GREETING);
await telegram.log.getByRole("button", { name: "Opening hours" }).click();
await telegram.sees(HOURS);
const shop = page.frameLocator("#web iframe");
await shop.locator("patchbay-chat .launcher").click();
await shop.getByRole("textbox", { name: "Write a message" }).fill("hi");
await shop.getByRole("textbox", { name: "Write a message" }).press("Enter");
await eventually("the bot on the site", async () => (await shop.getByRole("log").textContent()).includes(GREETING));

// Text is text.
const markup = '<b onclick="alert(1)">bold</b><img src=x onerror=alert(1)>';
await telegram.write(markup);
await telegram.sees(markup);
check((await telegram.log.locator(".bubble p *").count()) === 0, "text became elements");

// A picture, a place, a reaction and a quote.
await telegram.sends("Photo");
await eventually("the picture", async () => telegram.log.locator("img.photo").evaluate((one) => one.naturalWidth > 0));
await telegram.sends("Place");
await telegram.root.getByRole("button", { name: "Send the place" }).click();
await eventually("the place", async () => (await telegram.log.locator(".place").textContent()).includes("Table Mountain"));
await whatsapp.log.getByRole("button", { name: /^React or reply to: .*How can we help you/ }).click();
await whatsapp.log.getByRole("button", { name: "React with 👍" }).click();
await eventually("the reaction", async () => (await whatsapp.log.locator(".reactions").textContent()).includes("👍"));
await whatsapp.log.getByRole("button", { name: /^React or reply to: .*How can we help you/ }).click();
await whatsapp.log.getByRole("button", { name: "Reply", exact: true }).click();
await whatsapp.write("opening hours");
await whatsapp.sees(HOURS, 2);
check((await whatsapp.log.locator("blockquote").count()) === 2, "the quote is shown");

// A fault, and its effect: the provider repeats itself, and the bot still answers once.
await page.getByRole("button", { name: "Faults" }).click();
const panel = page.getByRole("complementary", { name: "Faults and the wire" });
const twice = panel.getByRole("switch", { name: "Each callback comes twice" });
await twice.click();
await page.getByRole("button", { name: "Faults 1 on" }).waitFor();
await whatsapp.write("menu");
const posts = panel.getByRole("listitem").filter({ hasText: "callback: message" });
const before = await posts.count();
await whatsapp.sees("How can we help you?", 2);
await eventually("two posts of one message", async () => {
  const all = await panel.getByRole("listitem").allTextContents();
  const newest = all.findIndex((line) => line.includes("callback: message"));
  return newest >= 0 && all.slice(newest + 1).some((line) => line.includes("callback: message"));
});
check(before >= 0 && (await whatsapp.texts()).filter((one) => one.includes(GREETING)).length === 2, "the bot answered twice");
await panel.getByRole("button", { name: "All off" }).click();
await eventually("the fault to be off", async () => !(await twice.isChecked()));

// A phone that leaves WhatsApp cannot write.
const { gear, more, settings } = whatsapp;
const member = settings.getByRole("switch", { name: "On WhatsApp" });
await gear.click();
await member.click();
await press(member, "Escape");
await whatsapp.root.getByText("not on WhatsApp").waitFor();
check((await whatsapp.field.count()) === 0, "it can still write");
await gear.click();
await member.click();
await press(member, "Escape");
await whatsapp.field.waitFor();

// The business clock.
const clock = page.getByRole("group", { name: "Business clock of Patchbay" });
const shown = await clock.locator(".now").textContent();
await clock.getByRole("button", { name: "+1 day" }).click();
await eventually("another day", async () => (await clock.locator(".now").textContent()) !== shown);
check(page.complaints.length === 0, page.complaints.join("\n"));

// By keyboard alone.
await page.getByRole("button", { name: "Close the panel" }).press("Enter");
await eventually("the panel to close", async () => (await panel.count()) === 0);
await whatsapp.field.press("Shift+Tab");
await press(more, "Enter");
await press(whatsapp.file, "Escape");
await press(more, "Tab");
await press(whatsapp.field, ..."hello by keyboard", "Enter");
await whatsapp.sees("hello by keyboard");
await gear.press("Enter");
await focused(whatsapp.close);
for (let presses = 0; presses < 30; presses++) {
  await page.keyboard.press("Tab");
  check(await settings.evaluate((one) => one.contains(document.activeElement)), "the focus left the open settings");
}
await page.keyboard.press("Escape");
await focused(gear);

// An order from a catalogue.
await whatsapp.sends("Order");
await whatsapp.sees("2 × blue-mug");
check(page.complaints.length === 0, page.complaints.join("\n"));
await at.close();

// Judged in both schemes on each kind of screen; the judge needs more than the policy of the page allows.
const SCREENS = [{ width: 1800, height: 1000 }, { width: 1280, height: 720 }, { width: 360, height: 640 }];
const SHORT = ["light 1800", "dark 360"];
for (const colorScheme of ["light", "dark"]) {
  for (const viewport of SCREENS.filter(({ width }) => isFull || SHORT.includes(`${colorScheme} ${width}`))) {
    const look = `${colorScheme} ${viewport.width}`;
    const context = await phonesContext(chromium, { colorScheme, viewport, reducedMotion: "reduce", bypassCSP: true });
    const judged = await visit(context, given.page);
    const phone = new Phone(judged, "WhatsApp");
    await phone.sees("hello by keyboard");
    const looks = async (what) => {
      const found = await findings(judged, null);
      check(found.length === 0, `${look}, ${what}: ${found.join("\n")}`);
      if (process.env.PATCHBAY_SHOTS) await judged.screenshot({ path: `${process.env.PATCHBAY_SHOTS}/phones ${look} ${what}.png` });
    };
    await looks("phones");
    const sideways = await judged.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(sideways <= 0, `${look}: the page scrolls sideways by ${sideways}`);
    if (viewport.width === 360) {
      for (const name of ["SMS", "WhatsApp"]) {
        const tab = judged.getByRole("navigation", { name: "Phones" }).getByRole("link", { name });
        await tab.click();
        await eventually(`the tab of ${name} to be marked`, async () => (await tab.getAttribute("aria-current")) === "true");
      }
    } else {
      check(await judged.getByRole("main").evaluate((one) => one.scrollWidth <= one.clientWidth), `${look}: a phone is out of sight`);
    }
    await phone.gear.click();
    await focused(phone.close);
    await looks("settings");
    await press(phone.close, "Escape");
    await phone.more.click();
    await focused(phone.file);
    await looks("menu");
    await press(phone.file, "Escape");
    const faults = judged.getByRole("complementary");
    if ((await faults.count()) === 0) await judged.getByRole("button", { name: "Faults" }).click();
    await faults.waitFor();
    await looks("faults");
    await context.close();
  }
}
await chromium.close();
console.log("ok");
