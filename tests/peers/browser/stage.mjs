// A browser with the widget in it. Pages are strict about what may run; each of their complaints fails the test.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";

const require = createRequire(`${process.argv[2]}/node/`);
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const given = JSON.parse(process.argv[3]);
const PATIENCE_MS = 60000;
/** How many times slower than this machine the pages run. */
const SLOWNESS = Number(process.env.PATCHBAY_SLOW_PAGES ?? 1);
/** Whether the story has every look and every phone, as in `make soak`. */
export const isFull = Boolean(process.env.PATCHBAY_FULL_STORIES);

export function check(holds, said) {
  if (!holds) throw new Error(said);
}

export async function eventually(what, probe) {
  const end = Date.now() + PATIENCE_MS;
  let last;
  while (Date.now() < end) {
    try {
      last = await probe();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}: ${last}`);
}

export async function browser() {
  const executablePath = process.env.PATCHBAY_BROWSER || BROWSERS.find((path) => existsSync(path));
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

// Collects in `complaints` of a page its faults, breaches of its policy, and dialogs.
export function listen(page) {
  if (page.complaints) return;
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    page.complaints.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
}

// A page of a site, and what it complained of.
export async function visit(context, address) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  if (SLOWNESS > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: SLOWNESS });
  listen(page);
  await page.goto(address);
  return page;
}

function hasFocus(part) {
  return part.evaluate((one) => one.matches(":focus:not(:disabled)"));
}

// Presses keys in turn once none of them can be lost: in an element that has got the focus, or, for the shortcuts of a page, when it
// has loaded and neither a field nor a dialog takes them. Texts are spread: `press(field, ..."hello", "Enter")`.
export async function press(at, ...keys) {
  const page = at.page?.() ?? at;
  const ready = () => page.evaluate(() => !document.querySelector("dialog[open], #main [aria-busy=true]") && !document.activeElement?.matches("input, textarea, select"));
  await eventually(`the focus for ${keys.join(" ")} at ${at}`, () => (page === at ? ready() : hasFocus(at)));
  for (const key of keys) await page.keyboard.press(key);
}

// Goes on with Tab, or another key, until an element has the focus.
export async function tabTo(part, key = "Tab") {
  await part.waitFor();
  for (let presses = 0; presses < 100; presses++) {
    if (await hasFocus(part)) return;
    await part.page().keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${part}`);
}

export function focused(part) {
  return eventually(`the focus at ${part}`, () => hasFocus(part));
}

// The widget of a page, by what people and screen readers perceive.
export class Widget {
  constructor(page) {
    this.page = page;
    this.launcher = page.locator("patchbay-chat .launcher");
    this.dialog = page.getByRole("dialog");
    this.log = page.getByRole("log");
    this.field = this.dialog.getByRole("textbox", { name: "Write a message" });
    this.status = this.dialog.locator(".status");
  }

  async open() {
    await this.launcher.waitFor();
    await this.launcher.click();
    await this.dialog.waitFor();
    return this;
  }

  async write(text) {
    await this.field.fill(text);
    await this.field.press("Enter");
  }

  texts() {
    return this.log.locator("ol .bubble").allTextContents();
  }

  async sees(text, times = 1) {
    await eventually(`${times} of "${text}"`, async () => {
      const found = await this.texts();
      return found.filter((one) => one === text).length === times;
    });
  }

  async says(text) {
    await eventually(`the status "${text}"`, async () => (await this.status.textContent()).includes(text));
  }
}

// The faults of accessibility that the checker finds in a part of a page, by default in the widget. Without a part: in the page.
export async function findings(page, part = "patchbay-chat") {
  await page.evaluate(axe);
  const found = await page.evaluate(async (part) => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const options = { runOnly: { type: "tag", values: tags } };
    const result = await window.axe.run(part ? { include: [part] } : document, options);
    return result.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
  }, part);
  return found;
}
