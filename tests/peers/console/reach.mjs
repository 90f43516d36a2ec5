// Whether Tab leads to each control of a page.
import { check, loaded } from "./stage.mjs";

// Letters are texts in a field and shortcuts elsewhere.
export async function leaveFields(page) {
  const isInField = () => page.evaluate(() => Boolean(document.activeElement?.matches("input, textarea, select")));
  for (let presses = 0; presses < 60 && (await isInField()); presses++) await page.keyboard.press("Tab");
}

/** `bare`: the page may have no control. */
export async function reachAll(page, name, bare = false) {
  await loaded(page);
  const count = await page.evaluate(() => {
    document.getElementById("main").focus();
    const isReachable = (one) => one.tabIndex >= 0 && !one.disabled && one.type !== "radio" && one.checkVisibility({ visibilityProperty: true });
    const all = document.querySelectorAll("#main :is(a[href], button, input, select, textarea, summary, [tabindex])");
    window.unreached = new Set([...all].filter(isReachable));
    return window.unreached.size;
  });
  check(count > 0 || bare, `${name} has no controls`);
  // A field of a time has several stops.
  for (let presses = 0; presses < 2 * count + 60; presses++) {
    await page.keyboard.press("Tab");
    const isDone = await page.evaluate(() => {
      window.unreached.delete(document.activeElement);
      return window.unreached.size === 0;
    });
    if (isDone) return;
  }
  const left = await page.evaluate(() => [...window.unreached].filter((one) => one.isConnected).map((one) => one.outerHTML.slice(0, 200)));
  check(left.length === 0, `${name}: Tab does not lead to ${left.join("\n")}`);
}
