// A browser with the widget in it. Pages are strict about what may run; each of their complaints fails the test.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";

const require = createRequire(`${process.argv[2]}/node/`);
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const given = JSON.parse(process.argv[3]);

export function check(holds, said) {
  if (!holds) throw new Error(said);
}

export async function eventually(what, probe) {
  const end = Date.now() + 20000;
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

// A page of a site, and what it complained of.
export async function visit(context, address) {
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    page.complaints.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(address);
  return page;
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
