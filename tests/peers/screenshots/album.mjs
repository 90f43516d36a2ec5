// The pictures: how each page is reached, and how it is stored.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PASSWORD, eventually } from "./demo.mjs";
import { USERS } from "./people.mjs";

const ZONE = "Africa/Johannesburg";
/** Largest picture in bytes; pictures with more detail get a lower quality. */
const LARGEST = 110_000;
/** The files of the console, which are shown in place of those in the program. */
const SOURCES = new URL("../../../console", import.meta.url).pathname;
const WIDE = { width: 1280, height: 800 };

/** Runs in each page before its scripts: the business clock, and the same fonts on every machine. */
function prepare({ ahead, fonts }) {
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) {
      super(...(given.length ? given : [Real.now() + ahead]));
    }

    static now() {
      return Real.now() + ahead;
    }
  };
  for (const [name, text] of Object.entries(fonts)) {
    const face = new FontFace(name, Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)), { weight: "100 900" });
    document.fonts.add(face);
    void face.load();
  }
  addEventListener("DOMContentLoaded", () => {
    document.documentElement.style.setProperty("--font", '"Inter", sans-serif');
    document.documentElement.style.setProperty("--mono", '"JetBrains Mono", monospace');
  });
}

export class Album {
  /** `fonts` is the folder of the installed fonts, `folder` that of the pictures. */
  constructor(browser, demo, fonts, folder) {
    Object.assign(this, { browser, demo, folder });
    const font = (name) => readFileSync(`${fonts}/node/node_modules/@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`).toString("base64");
    this.fonts = { Inter: font("inter"), "JetBrains Mono": font("jetbrains-mono") };
  }

  /** `ahead`: how far the clock of the page is ahead of the machine's, in milliseconds. */
  async page(options = {}, ahead = this.demo.ahead) {
    const context = await this.browser.newContext({ viewport: WIDE, timezoneId: ZONE, locale: "en-GB", reducedMotion: "reduce", bypassCSP: true, ...options });
    await context.route(`${this.demo.base}/console/assets/*/**`, (route) => route.fulfill({ path: join(SOURCES, ...new URL(route.request().url()).pathname.split("/").slice(4)) }));
    await context.addInitScript(prepare, { ahead, fonts: this.fonts });
    return context.newPage();
  }

  /** A page of the console, seen by the administrator. */
  async console(path, options) {
    const page = await this.page(options);
    await page.goto(`${this.demo.base}/console${path}`);
    await page.getByLabel("Client reference").fill("demo");
    await page.getByLabel("E-mail").fill(USERS[0].email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByLabel("Password").press("Enter");
    await page.locator("#main").waitFor();
    return page;
  }

  /** Stores a picture of a page that has loaded. */
  async take(page, name) {
    const loading = () => page.evaluate(() => [...document.querySelectorAll("[aria-busy=true], .skeleton")].some((one) => one.checkVisibility() && one.getBoundingClientRect().top < innerHeight));
    await eventually(`the end of loading of ${name}`, async () => !(await loading()));
    await page.evaluate(() => Promise.all([document.fonts.ready, ...[...document.images].map((one) => one.decode().catch(() => {}))]));
    await page.mouse.move(0, 0);
    // The last transitions and reports are over.
    await page.waitForTimeout(700);
    const session = await page.context().newCDPSession(page);
    for (let quality = 90; ; quality -= 8) {
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
      const picture = Buffer.from(data, "base64");
      if (picture.length > LARGEST && quality > 40) continue;
      writeFileSync(join(this.folder, `${name}.webp`), picture);
      if (process.env.PATCHBAY_PNG) writeFileSync(join(process.env.PATCHBAY_PNG, `${name}.png`), await page.screenshot());
      console.error(`${name}: ${Math.round(picture.length / 1000)} KB, quality ${quality}`);
      break;
    }
    await page.context().close();
  }
}

const row = (page, text) => page.getByRole("region", { name: "Chats" }).getByRole("link").filter({ hasText: text });

export const PICTURES = {
  async inbox(album) {
    const page = await album.console("/inbox/all");
    await row(page, "Lerato Molefe").click();
    await page.getByRole("log").getByText("card on delivery").waitFor();
    return page;
  },
  async "inbox-dark"(album) {
    const page = await album.console("/inbox/my", { colorScheme: "dark" });
    await row(page, "Sofia Almeida").click();
    await page.getByRole("log").getByText("The left one").waitFor();
    await page.getByRole("textbox", { name: "Write a reply" }).fill("Glad to help! It is on its way.");
    return page;
  },
  async "inbox-phone"(album) {
    const page = await album.console("/inbox/my", { viewport: { width: 360, height: 720 } });
    await row(page, "Lerato Molefe").click();
    await page.getByRole("log").getByText("card on delivery").waitFor();
    return page;
  },
  async queue(album) {
    return album.console("/supervision");
  },
  async figures(album) {
    const page = await album.console("/supervision/figures");
    await page.getByText("Chats by day").waitFor();
    return page;
  },
  async message(album) {
    const page = await album.console("/messages");
    await page.getByRole("searchbox", { name: "Find a message" }).fill(album.demo.tracking);
    await page.getByRole("region", { name: "Story of the message" }).getByText("Receipt").first().waitFor();
    return page;
  },
  async send(album) {
    const page = await album.console("/sends/new");
    await page.getByRole("button", { name: /^order_ready/ }).click();
    const people = ["name;phone;order", "Thandi Zulu;+27821000001;4480", "Pieter Botha;+27821000002;4481", "Zanele Khumalo;082 100 0003;4482", "Grace Mwangi;+254700000004;4483", "Omar Farouk;12;4484", "Ines Costa;+351912345678;4485"];
    await page.locator('input[type="file"]').setInputFiles({ name: "orders.csv", mimeType: "text/csv", buffer: Buffer.from(people.join("\r\n")) });
    await page.getByLabel(/^Value of the button/).first().selectOption({ label: "order (4480)" });
    await page.getByText("can be sent").first().scrollIntoViewIfNeeded();
    return page;
  },
  async "webhook-attempt"(album) {
    const page = await album.console(`/webhooks/${album.demo.hook.id}/deliveries?failed=true`);
    await page.getByRole("row").filter({ hasText: "500" }).first().getByRole("button").first().click();
    await page.getByRole("dialog").getByText("orders.state").first().waitFor();
    return page;
  },
  async canary(album) {
    return album.console("/plugins/shop-bot/trial");
  },
  async "tester-dark"(album) {
    const page = await album.console("/plugins/shop-bot/tester", { colorScheme: "dark" });
    for (const text of ["hi", "delivery", "person"]) {
      const said = await page.getByRole("log").getByText("Bot").count();
      await page.getByLabel("Write as the customer").fill(text);
      await page.getByLabel("Write as the customer").press("Enter");
      await eventually("the answer", async () => (await page.getByRole("log").getByText("Bot").count()) > said);
    }
    return page;
  },
  async contacts(album) {
    const page = await album.console("/contacts");
    await page.getByRole("button", { name: "Lerato Molefe" }).click();
    await page.getByRole("dialog").getByText("Prefers deliveries after 16:00.").waitFor();
    return page;
  },
  async flow(album) {
    const page = await album.console("/flows/new/faq");
    await page.getByRole("region", { name: "Findings of the checker" }).getByText("No findings").waitFor();
    await page.getByRole("group", { name: /^Menu: questions/ }).click();
    await page.getByLabel("Name of the node").waitFor();
    return page;
  },
  async site(album) {
    const { id, name, origins } = await album.demo.call("POST", "/messaging-service/web/sites", { name: "Sample Shop", origins: ["https://shop.example"] });
    await album.demo.call("PUT", `/messaging-service/web/sites/${id}`, { name, origins, team: "Orders", look: { color: "#7A3E9D" }, texts: { title: "Ask the shop", greeting: "Good day! How can we help you?" } });
    const page = await album.console(`/numbers/sites/${id}`);
    await page.frameLocator("iframe").getByText("Good day! How can we help you?").first().waitFor();
    return page;
  },
  async operators(album) {
    const { key } = album.demo.admin("operator", "add", "--name", "Nomsa Dlamini");
    const page = await album.page();
    // The pictures have no name of a machine.
    await page.route("**/operator-service/api/v1/status", async (route) => {
      const response = await route.fetch();
      const status = await response.json();
      for (const process of status.processes) process.host = "server-1";
      await route.fulfill({ response, json: status });
    });
    await page.goto(`${album.demo.base}/console/operators`);
    await page.getByLabel("Key of the operator").fill(key);
    await page.getByLabel("Key of the operator").press("Enter");
    await page.getByRole("region", { name: "Processes" }).first().getByText("server-1").waitFor();
    return page;
  },
  async phones(album) {
    // The simulated providers keep the time of the machine.
    const page = await album.page({ viewport: { width: 1560, height: 900 } }, 0);
    await page.goto(album.demo.phones);
    for (const name of ["WhatsApp", "Messenger", "Telegram"]) {
      const phone = page.getByRole("region", { name: new RegExp(`^${name}`) });
      await phone.getByRole("textbox").fill("hi");
      await phone.getByRole("textbox").press("Enter");
      await phone.getByText("welcome to Sample Shop").first().waitFor();
    }
    return page;
  },
};
