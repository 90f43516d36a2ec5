// The pace of the console, for `make bench ARGS=console`: pace.mjs DRIVER GIVEN PART. `paint` loads pages, `scroll` goes to the beginning
// of a long chat, `type` writes in it while customers write. Prints the figures as JSON.
import { Inbox, browser, check, eventually, given, logIn, visit } from "./stage.mjs";

/** Loads of each page. */
const LOADS = 20;
/** Keys at the pace of a quick writer. */
const KEY_MS = 80;
const KEYS_AT_ONCE = 50;
/** The first seconds fill caches. */
const WARM_UP_MS = 10_000;
/** For a page that does not get to the beginning. */
const PATIENCE_MS = 600_000;

const part = process.argv[4];
const at = (sorted, share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
const ascending = (times) => [...times].sort((one, other) => one - other);

const chromium = await browser();
const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
const page = await logIn(context, `/inbox/all/${given.chat}`);
const inbox = new Inbox(page);
await inbox.log.getByRole("listitem").last().waitFor();

// The time from the beginning of a load to the first text or picture.
function firstPaint(loaded) {
  return eventually("the first paint", () => loaded.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime));
}

async function paint() {
  const [login, again] = [[], []];
  for (let load = 0; load < LOADS; load++) {
    // A new context has an empty cache.
    const empty = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
    login.push(await firstPaint(await visit(empty, `${given.base}/console`)));
    await empty.close();
    await page.reload();
    again.push(await firstPaint(page));
  }
  const of = (name, times) => ({ [`${name}P50`]: at(times, 0.5), [`${name}P95`]: at(times, 0.95), [`${name}Longest`]: at(times, 1) });
  return { loads: LOADS, ...of("login", ascending(login)), ...of("inbox", ascending(again)) };
}

async function scroll() {
  await page.evaluate(() => {
    window.frameTimes = [];
    let before = performance.now();
    const count = (now) => {
      window.frameTimes.push(now - before);
      before = now;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  await inbox.log.hover();
  const shown = () => page.evaluate(() => document.querySelectorAll("[role=log] .message").length);
  const end = Date.now() + PATIENCE_MS;
  while ((await shown()) < given.messages && Date.now() < end) for (let turns = 0; turns < 20; turns++) await page.mouse.wheel(0, -400);
  const messages = await shown();
  check(messages >= given.messages, `only ${messages} messages came`);
  const frames = ascending(await page.evaluate(() => window.frameTimes));
  return { messages, frames: frames.length, frameP50: at(frames, 0.5), frameP95: at(frames, 0.95), frameLongest: at(frames, 1) };
}

async function type() {
  const tools = await context.newCDPSession(page);
  const heap = async () => {
    await tools.send("HeapProfiler.collectGarbage");
    return (await tools.send("Runtime.getHeapUsage")).usedSize / 1e6;
  };
  const write = async (time) => {
    const end = Date.now() + time;
    while (Date.now() < end) {
      await inbox.field.fill("");
      await page.keyboard.type("a".repeat(KEYS_AT_ONCE), { delay: KEY_MS });
    }
  };
  await inbox.field.click();
  await write(WARM_UP_MS);
  await page.evaluate(() => {
    window.delays = [];
    document.addEventListener("keydown", (event) => window.delays.push(performance.now() - event.timeStamp), true);
  });
  const heapBefore = await heap();
  await write(given.seconds * 1000);
  const heapAfter = await heap();
  const delays = ascending(await page.evaluate(() => window.delays));
  check(delays.length > 0, "no key was measured");
  return { keys: delays.length, delayP50: at(delays, 0.5), delayP99: at(delays, 0.99), delayLongest: at(delays, 1), heapBefore, heapAfter };
}

console.log(JSON.stringify(await { paint, scroll, type }[part]()));
await chromium.close();
