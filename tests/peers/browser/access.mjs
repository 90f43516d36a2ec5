// For everybody: by keyboard alone, judged by axe-core, light and dark, from the left and from the right, without motion, with a
// form before the chat.
import { readFileSync } from "node:fs";
import { Widget, browser, check, eventually, findings, focused, given, isFull, press, tabTo, visit } from "./stage.mjs";

const chromium = await browser();

// By keyboard alone.
const keyboard = await visit(await chromium.newContext(), given.page);
const widget = new Widget(keyboard);
await tabTo(widget.launcher);
await press(widget.launcher, "Enter");
await press(widget.field, ..."buttons", "Enter");
const yes = widget.log.getByRole("button", { name: "Yes" });
await tabTo(yes, "Shift+Tab");
await press(yes, "Enter");
await widget.sees("got choice yes-id");
const announced = keyboard.locator("patchbay-chat [aria-live=polite]");
await eventually("the new message to be announced", async () => (await announced.textContent()).includes("got choice yes-id"));
await keyboard.keyboard.press("Escape");
await widget.dialog.waitFor({ state: "hidden" });
await focused(widget.launcher);
check((await widget.launcher.getAttribute("aria-expanded")) === "false", "and says that it is closed");

// Targets are large enough for fingers.
await widget.open();
const small = await keyboard.locator("patchbay-chat button:visible").evaluateAll((buttons) =>
  buttons.filter((one) => one.getBoundingClientRect().width < 24 || one.getBoundingClientRect().height < 24).length);
check(small === 0, `${small} targets are too small`);
check(keyboard.complaints.length === 0, keyboard.complaints.join("\n"));

// The values of the console's design.
const design = readFileSync(new URL("../../../console/ui/tokens.css", import.meta.url), "utf8");
const [, lightSurface, darkSurface] = /--surface: light-dark\((#\w{6}), (#\w{6})\)/.exec(design);
const rgb = (hex) => `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;

// Judged light and dark; the judge needs more than the page's policy allows.
const PAGES = [["ltr", given.page], ["rtl", given.rtl], ["form", given.form]];
const SHORT = ["light ltr", "light form", "dark ltr", "dark rtl"];
for (const colorScheme of ["light", "dark"]) {
  for (const [name, address] of PAGES.filter(([page]) => isFull || SHORT.includes(`${colorScheme} ${page}`))) {
    const context = await chromium.newContext({ colorScheme, reducedMotion: "reduce", bypassCSP: true });
    const page = await visit(context, address);
    const closed = new Widget(page);
    await closed.launcher.waitFor();
    check((await findings(page)).length === 0, `${colorScheme} ${name}, closed: ${await findings(page)}`);
    const shown = await closed.open();
    if (name !== "form") {
      for (const deed of ["buttons", "list", "rate", "say done"]) await shown.write(deed);
      await shown.sees("done");
    }
    const found = await findings(page);
    check(found.length === 0, `${colorScheme} ${name}: ${found.join("\n")}`);
    const still = await page.locator("patchbay-chat .panel").evaluate((one) => getComputedStyle(one).animationName);
    check(still === "none", "it moves although the visitor wants no motion");
    // The page changes sizes and variables, and the widget keeps its design.
    await page.addStyleTag({ content: "html { font-size: 62.5%; } patchbay-chat { --surface: red; --size-5: 40px; }" });
    const look = await page.locator("patchbay-chat .panel").evaluate((one) => `${getComputedStyle(one).backgroundColor} ${getComputedStyle(one).fontSize}`);
    check(look === `${rgb(colorScheme === "dark" ? darkSurface : lightSurface)} 16px`, `${colorScheme} ${name} looks like ${look}`);
    if (name === "rtl") {
      const box = await closed.launcher.boundingBox();
      check(box.x < 200, `the launcher is at the end of the line: ${box.x}`);
      check((await page.locator("patchbay-chat").getAttribute("dir")) === "rtl", "direction");
    }
    await context.close();
  }
}

// The form comes first, says what is wrong, and then the chat goes on.
const asked = await visit(await chromium.newContext(), given.form);
const form = await new Widget(asked).open();
const name = asked.getByLabel("Your name *");
await focused(name);
await asked.getByLabel("E-mail").fill("nobody@nowhere");
await name.fill("Ann <b>");
await asked.getByRole("button", { name: "Begin chat" }).click();
await eventually("the fault of the form", async () => (await asked.getByRole("alert").textContent()).includes("e-mail"));
await asked.getByLabel("E-mail").fill("ann@shop.example");
await asked.getByRole("button", { name: "Begin chat" }).click();
await form.sees("Your name: Ann <b>\nE-mail: ann@shop.example");
await form.write("say hello");
await form.sees("hello");
await chromium.close();
console.log("ok");
