// A console in a browser, and the phones around it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { browser as launch, check, eventually, focused, given, isFull, listen, press, tabTo, visit } from "../browser/stage.mjs";

const axe = createRequire(`${process.argv[2]}/node/`)("axe-core").source;
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export { check, eventually, focused, given, isFull, press, tabTo, visit };

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

/** The folder `console/`, if the story plays its files in place of those in the program: a change needs no build. */
const SOURCES = process.env.CONSOLE_SOURCES;

function serveSource(route) {
  const path = new URL(route.request().url()).pathname.split("/").slice(4).join("/");
  return route.fulfill({ path: `${SOURCES}/${path}` });
}

/** All pages of the story. */
const pages = new Set();

function follow(page) {
  pages.add(page);
  listen(page);
  page.on("request", (request) => {
    if (!isDocumented(request)) page.complaints.push(`an undocumented call: ${request.method()} ${request.url()}`);
  });
}

// A browser that judges every page of the story when it is closed, also those that the story did not open itself.
export async function browser() {
  const chromium = await launch();
  const [newContext, close] = [chromium.newContext.bind(chromium), chromium.close.bind(chromium)];
  chromium.newContext = async (options) => {
    const context = await newContext(options);
    context.on("page", follow);
    if (SOURCES) await context.route(`${given.base}/console/assets/*/**`, serveSource);
    return context;
  };
  chromium.close = async () => {
    const found = [...pages].flatMap((page) => complaints(page).map((one) => `${page.url()}: ${one}`));
    await close();
    check(found.length === 0, found.join("\n"));
  };
  return chromium;
}

export async function phone(method, path, body) {
  const answer = await fetch(`${given.phones}/phones/${path}`, { method, body: body && JSON.stringify(body) });
  check(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

/** The session of each user who calls the API, by e-mail. */
const sessions = new Map();

async function ask(method, path, body, key) {
  const isComponent = Buffer.isBuffer(body);
  const headers = { "content-type": isComponent ? "application/wasm" : "application/json", ...(key && { authorization: key }) };
  const answer = await fetch(`${given.base}${path}`, { method, headers, body: isComponent ? body : body && JSON.stringify(body) });
  const text = await answer.text();
  check(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

// Calls the API as a user. A buffer is a component. Returns the body of the answer.
export async function api(method, path, body, user = given.admin) {
  const { email } = user;
  // Calls at the same time share a session.
  if (!sessions.has(email)) sessions.set(email, ask("POST", "/api/v1/sessions", { clientRef: given.clientRef, ...user }));
  return ask(method, path, body, (await sessions.get(email)).sessionKey);
}

// Faults of the page, breaches of its policy, and undocumented calls. A refused call is no fault of the page.
export function complaints(page) {
  return page.complaints.filter((one) => !/Failed to load resource|ERR_INTERNET_DISCONNECTED/.test(one));
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

// Drags a component over an element, and drops it there. `over` looks at the page in between.
export async function drop(element, path, name, over = () => {}) {
  const page = element.page();
  const [bytes, file] = [readFileSync(path).toString("base64"), { name, type: "application/wasm" }];
  const dataTransfer = await page.evaluateHandle(([base64, { name, type }]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type }));
    return transfer;
  }, [bytes, file]);
  for (const type of ["dragenter", "dragover"]) await element.dispatchEvent(type, { dataTransfer });
  await over();
  await element.dispatchEvent("drop", { dataTransfer });
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
