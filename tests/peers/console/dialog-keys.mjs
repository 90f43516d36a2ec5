// Leads to dialogs by keyboard, and judges the focus in them and after them.
import { check, eventually, tabTo } from "./stage.mjs";

const isItem = (step) => typeof step === "string" && step.startsWith("> ");

export class DialogKeys {
  constructor(page) {
    this.page = page;
    this.open = page.locator("dialog[open]");
  }

  /** A step is the name of a button; with `> `, that of an item of a menu. */
  partOf(step) {
    if (step === "the first row") return this.page.locator("#main tbody .cell-link").first();
    return isItem(step) ? this.page.getByRole("menuitem", { name: step.slice(2) }) : this.page.getByRole("button", { name: step, exact: true }).last();
  }

  /** Leads to a dialog, and returns the openers of the dialogs that were open before the last step, and the last opener. */
  async follow(steps) {
    const openers = [];
    let last;
    for (const step of steps) {
      const part = this.partOf(step);
      await part.waitFor();
      const count = await this.open.count();
      if (count > openers.length) openers.push(last);
      openers.length = count;
      await tabTo(part, isItem(step) ? "ArrowDown" : "Tab");
      // After an item of a menu, the focus is at the button of the menu.
      if (!isItem(step)) last = await this.page.evaluateHandle(() => document.activeElement);
      await this.page.keyboard.press("Enter");
    }
    return { openers, last };
  }

  // The focus is in the dialog, or on its way through the frame of the browser.
  isInside() {
    return this.page.evaluate(() => document.activeElement === document.body || Boolean([...document.querySelectorAll("dialog[open]")].at(-1)?.contains(document.activeElement)));
  }

  async keepsFocus(title, stops) {
    for (let presses = 0; presses < stops + 3; presses++) {
      await this.page.keyboard.press(presses % 4 === 3 ? "Shift+Tab" : "Tab");
      check(await this.isInside(), `Tab leads out of "${title}"`);
    }
  }

  async titles() {
    return (await this.open.locator("h2").allTextContents()).join();
  }

  async judge(title, steps) {
    const { page, open } = this;
    const { openers, last } = await this.follow(steps);
    await page.getByRole("dialog", { name: title, exact: true }).waitFor();
    if ((await open.count()) > openers.length) openers.push(last);
    await eventually(`the focus in "${title}"`, () => page.evaluate(() => Boolean(document.activeElement?.closest("dialog[open]"))));
    await this.keepsFocus(title, await open.last().evaluate((dialog) => dialog.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]").length));
    // A dialog that took the place of another may lead back to it.
    for (let left = openers.length, turn = 0; left > 0 && turn < 4; turn++) {
      const before = await this.titles();
      await page.keyboard.press("Escape");
      await eventually(`the end of "${title}"`, async () => (await this.titles()) !== before);
      if ((await open.count()) === left) continue;
      left = await open.count();
      const opener = openers.pop();
      await eventually(`the focus at the opener of "${title}"`, () => page.evaluate((one) => one === document.activeElement, opener));
    }
    check((await open.count()) === 0, `Escape does not close "${title}"`);
  }
}
