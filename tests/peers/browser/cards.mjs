// The cards of a chatbot (ADR 0041) in the widget: their pictures, their place in a narrow chat, and their use by keyboard.
// A tap on a card is a tap on that card at the bot.
import { Widget, browser, check, eventually, findings, given, isFull, press, tabTo, visit } from "./stage.mjs";

const chromium = await browser();
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="#2a6f97"/></svg>';
const DEED = `carousel ${given.carousel} summer_carousel`;
const WORDS = "Summer is here. Look what came in:";

// A chat whose bot has shown its cards; their pictures come from elsewhere.
async function shown(options, address) {
  const context = await chromium.newContext(options);
  await context.route("https://shop.example/**", (asked) => asked.fulfill({ contentType: "image/svg+xml", body: PICTURE }));
  const widget = await new Widget(await visit(context, address)).open();
  await widget.write(DEED);
  widget.cards = widget.log.getByRole("group", { name: WORDS });
  await widget.cards.waitFor();
  await eventually("the pictures", async () => {
    const widths = await widget.cards.locator("img").evaluateAll((all) => all.map((one) => one.naturalWidth));
    return widths.length === 2 && widths.every((width) => width === 320);
  });
  return widget;
}

// Elements are inside the chat; the row of cards may be scrolled in it.
async function inside(widget) {
  const [log, cards] = [await widget.log.boundingBox(), await widget.cards.boundingBox()];
  check(cards.x >= log.x && cards.x + cards.width <= log.x + log.width, `cards stand out: ${JSON.stringify([log, cards])}`);
  const sideways = await widget.log.evaluate((one) => one.scrollWidth - one.clientWidth);
  check(sideways <= 0, `the chat scrolls sideways by ${sideways}`);
}

// The messages with their authors, and the texts on cards.
const ann = await shown({}, given.page);
await ann.sees(WORDS);
const texts = await ann.cards.locator(".card").evaluateAll((cards) => cards.map((card) => card.querySelector("div").textContent));
check(texts.join() === "Our blue range,Our red range", `cards say ${texts}`);
check((await ann.texts()).join("|") === `${DEED}|${WORDS}`, `the texts next to cards: ${await ann.texts()}`);
await inside(ann);

// By keyboard: from the field back into the newest message, whose last choice is that of the red card.
const red = ann.cards.getByRole("group", { name: "Our red range" }).getByRole("button", { name: "More" });
await ann.field.focus();
await tabTo(red, "Shift+Tab");
check(await red.evaluate((one) => one.matches(":focus-visible")), "the choice of the red card has no visible focus");
const [log, button] = [await ann.log.boundingBox(), await red.boundingBox()];
check(button.x >= log.x && button.x + button.width <= log.x + log.width, "the focused button is out of sight");
check(button.width >= 24 && button.height >= 24, "too small for fingers");
await press(red, "Enter");
await ann.sees("got card more-red");
await ann.sees("More");
check(ann.page.complaints.length === 0, ann.page.complaints.join("\n"));

// The other card, by pointer, as soon as it is there: a tap is right however early it comes.
const ben = await shown({}, given.page);
await ben.cards.getByRole("group", { name: "Our blue range" }).getByRole("button", { name: "More" }).click();
await ben.sees("got card more-blue");
check(ben.page.complaints.length === 0, ben.page.complaints.join("\n"));

// Judged also where there is little room; the judge needs more than the page's policy allows.
const LOOKS = [["light", "ltr", 1280], ["dark", "rtl", 320]];
const MORE_LOOKS = [["light", "ltr", 320], ["light", "rtl", 1280], ["light", "rtl", 320], ["dark", "ltr", 1280], ["dark", "ltr", 320], ["dark", "rtl", 1280]];
for (const [colorScheme, name, width] of isFull ? [...LOOKS, ...MORE_LOOKS] : LOOKS) {
  const look = `${colorScheme} ${name} ${width}`;
  const viewport = { width, height: width === 320 ? 568 : 720 };
  const widget = await shown({ colorScheme, viewport, reducedMotion: "reduce", bypassCSP: true }, name === "rtl" ? given.rtl : given.page);
  await inside(widget);
  const found = await findings(widget.page);
  check(found.length === 0, `${look}: ${found.join("\n")}`);
  if (process.env.PATCHBAY_SHOTS) await widget.page.screenshot({ path: `${process.env.PATCHBAY_SHOTS}/cards ${look}.png` });
  await widget.page.context().close();
}
await chromium.close();
console.log("ok");
