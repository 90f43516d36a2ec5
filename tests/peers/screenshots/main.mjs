// Takes the screenshots of docs/console: main.mjs DRIVER FONTS PROGRAM COMPONENT FOLDER (scripts/screenshots.sh).
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { Album, PICTURES } from "./album.mjs";
import { Demo } from "./demo.mjs";
import { start } from "./program.mjs";

const [, , driver, fonts, binary, component, folder] = process.argv;
const { chromium } = createRequire(`${driver}/node/`)("playwright-core");
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--font-render-hinting=none"];

const program = await start(binary);
let browser;
try {
  const demo = new Demo(program, readFileSync(component));
  await demo.fill();
  browser = await chromium.launch({ executablePath: process.env.PATCHBAY_BROWSER ?? BROWSERS.find((path) => existsSync(path)), args: ARGUMENTS });
  const album = new Album(browser, demo, fonts, folder);
  const wanted = process.env.PATCHBAY_PICTURES?.split(",") ?? Object.keys(PICTURES);
  for (const name of wanted) {
    // The time of the page is that of the program now.
    await demo.wait(0);
    await album.take(await PICTURES[name](album), name);
  }
} finally {
  await browser?.close();
  await program.stop();
}
