// A console in a browser, and the phones around it.
import { createRequire } from "node:module";
import { browser, check, eventually, focused, given, press, tabTo, visit as open } from "../browser/stage.mjs";

const axe = createRequire(`${process.argv[2]}/node/`)("axe-core").source;
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export { browser, check, eventually, focused, given, press, tabTo };

/** The calls of the documented API, each with a pattern of its path. */
const DOCUMENTED = Object.entries((await (await fetch(`${given.base}/openapi.json`)).json()).paths).flatMap(([path, calls]) => {
  const pattern = new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+")}$`);
  return Object.keys(calls).map((method) => ({ method: method.toUpperCase(), pattern }));
});

// The console may make only documented calls.
function isDocumented(request) {
  const { origin, pathname } = new URL(request.url());
  if (origin !== given.base || !["fetch", "xhr"].includes(request.resourceType())) return true;
  return DOCUMENTED.some(({ method, pattern }) => method === request.method() && pattern.test(pathname));
}

// A page of the console, and the calls that its API does not document.
export async function visit(context, address) {
  const undocumented = [];
  context.on("request", (request) => {
    if (!isDocumented(request)) undocumented.push(`an undocumented call: ${request.method()} ${request.url()}`);
  });
  return Object.assign(await open(context, address), { undocumented });
}

export async function phone(method, path, body) {
  const answer = await fetch(`${given.phones}/phones/${path}`, { method, body: body && JSON.stringify(body) });
  check(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

// Faults of the page, breaches of its policy, and undocumented calls. A refused call is no fault of the page.
export function complaints(page) {
  return [...page.complaints.filter((one) => !/Failed to load resource|ERR_INTERNET_DISCONNECTED/.test(one)), ...page.undocumented];
}

// A page of the console after the login of a user.
export async function logIn(context, path, user = given.admin) {
  const page = await visit(context, `${given.base}/console${path}`);
  await page.getByLabel("Client reference").fill(given.clientRef);
  await page.getByLabel("E-mail").fill(user.email);
  await page.getByLabel("Password").fill(user.password);
  await page.getByLabel("Password").press("Enter");
  await page.getByRole("main").and(page.locator("#main")).waitFor();
  await loaded(page);
  return page;
}

// Waits until nothing on the page loads any more.
export function loaded(page) {
  return eventually("the end of loading", async () => (await page.locator("#main [aria-busy=true]").count()) === 0);
}

// The faults of accessibility that the checker finds in a page.
export async function findings(page) {
  await page.evaluate(axe);
  return page.evaluate(async (tags) => {
    const { violations } = await window.axe.run(document, { runOnly: { type: "tag", values: tags } });
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
  }, TAGS);
}

// Judges what a page shows by the checker: wide and light, then small and dark. The context of the page has no policy.
export async function judgeLooks(page, name) {
  const before = page.viewportSize();
  for (const [colorScheme, width] of [["light", 1280], ["dark", 360]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 740 });
    await loaded(page);
    const found = await findings(page);
    check(found.length === 0, `${name}, ${colorScheme}: ${found.join("\n")}`);
    const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
    check(wide <= width, `${name} is ${wide} pixels wide on a screen of ${width}`);
  }
  await page.setViewportSize(before);
}

// Uploads a component, as a plugin of a name or as the next version of the plugin on the page.
export async function upload(page, button, name, file) {
  await page.getByRole("button", { name: button, exact: true }).click();
  const form = page.getByRole("dialog");
  await form.locator("input[type=file]").first().setInputFiles(file);
  await form.getByText("The check has no findings").waitFor();
  if (name) await form.getByLabel("Name").fill(name);
  await form.getByRole("button", { name: "Upload", exact: true }).click();
  await form.waitFor({ state: "detached" });
}

// Parts of the inbox, by what people and screen readers perceive.
export class Inbox {
  constructor(page) {
    this.page = page;
    this.list = page.getByRole("region", { name: "Chats" });
    this.log = page.getByRole("log", { name: "Messages" });
    this.field = page.getByRole("textbox", { name: "Write a reply" });
  }

  row(text) {
    return this.list.getByRole("link").filter({ hasText: text });
  }

  message(text) {
    return this.log.getByRole("listitem").filter({ hasText: text });
  }

  async sees(text) {
    await eventually(`the message "${text}"`, async () => (await this.message(text).count()) === 1);
  }
}
