// The phones of the simulator's page, by what people and screen readers perceive.
import { readFileSync } from "node:fs";
import { eventually, given } from "./stage.mjs";

/** A folder of the repository, if the story plays the files of its page in place of those in the program: a change needs no build. */
const SOURCES = process.env.PHONE_SOURCES;

/** The place of a file of the page in the repository, as `host/simulator/src/page/assets.rs` names them. */
function source(path) {
  if (path === "tokens.css") return "console/ui/tokens.css";
  return path.startsWith("vendor/") ? `console/${path}` : `host/simulator/page/${path}`;
}

// A context in which the page is opened.
export async function phonesContext(chromium, options) {
  const context = await chromium.newContext(options);
  if (!SOURCES) return context;
  const { origin } = new URL(given.page);
  await context.route(`${origin}/page/**`, (route) => route.fulfill({ path: `${SOURCES}/${source(new URL(route.request().url()).pathname.slice("/page/".length))}` }));
  // With the policy of the program.
  await context.route(`${origin}/`, async (route) => route.fulfill({ response: await route.fetch(), body: readFileSync(`${SOURCES}/${source("index.html")}`) }));
  return context;
}

export class Phone {
  constructor(page, title) {
    this.page = page;
    this.title = title;
    this.root = page.getByRole("region", { name: new RegExp(`^${title}`) });
    this.log = this.root.getByRole("log");
    this.field = this.root.getByRole("textbox", { name: `Message on ${title}` });
    this.more = this.root.getByRole("button", { name: "Send something else" });
    this.file = this.root.getByRole("button", { name: "File…" });
    this.gear = this.root.getByRole("button", { name: "Settings of the phone" });
    this.settings = this.root.getByRole("dialog");
    this.close = this.settings.getByRole("button", { name: "Close" });
  }

  async write(text) {
    await this.field.fill(text);
    await this.field.press("Enter");
  }

  texts() {
    return this.log.locator(".bubble p").allTextContents();
  }

  async sees(text, times = 1) {
    await eventually(`${times} of "${text}" on ${this.title}`, async () =>
      (await this.texts()).filter((one) => one.includes(text)).length === times);
  }

  async sends(kind) {
    await this.more.click();
    await this.root.getByRole("button", { name: kind, exact: true }).click();
  }

  // Bubbles of one side, "mine" or "theirs", with a part of a kind.
  parts(side, part) {
    return this.log.locator(`.row.${side} ${part}`);
  }

  // Waits for one more part on a side than before an action.
  async gets(side, part, action) {
    const before = await this.parts(side, part).count();
    await action();
    await eventually(`one more ${part} of ${side} on ${this.title}`, async () => (await this.parts(side, part).count()) === before + 1);
    return this.parts(side, part).last();
  }
}
