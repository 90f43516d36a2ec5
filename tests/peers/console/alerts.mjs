// A new chat sounds and is notified to a viewer who looks elsewhere, if the viewer wants it and the browser allows it.
import { Inbox, browser, check, eventually, given, logIn, phone, press } from "./stage.mjs";

const chromium = await browser();

// Replaces sounds and notifications by records of them. `answer` is the permission that the browser gives a page that asks.
function pretend(answer) {
  Object.assign(window, { tones: [], shown: [], isAway: false });
  Object.defineProperty(Document.prototype, "hidden", { configurable: true, get: () => window.isAway });
  window.AudioContext = class {
    currentTime = 0;
    destination = {};
    createOscillator() {
      const frequency = { value: 0 };
      return { frequency, connect: (next) => next, start: () => window.tones.push(frequency.value), stop() {} };
    }
    createGain() {
      return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (next) => next };
    }
  };
  window.Notification = class {
    static permission = "default";
    static async requestPermission() {
      return (window.Notification.permission = answer);
    }
    constructor(title, { body, tag }) {
      Object.assign(this, { title, body, tag });
      window.shown.push(this);
    }
    close() {
      this.isClosed = true;
    }
  };
}

// A page that follows live events.
async function open(user, answer) {
  const context = await chromium.newContext();
  await context.addInitScript(pretend, answer);
  const heard = new Promise((resolve) => context.on("page", (page) => page.on("websocket", (socket) => socket.on("framereceived", resolve))));
  const page = await logIn(context, "/inbox/unassigned", user);
  await heard;
  return page;
}

async function command(page, text) {
  await press(page, "Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill(text);
  await page.getByRole("option", { name: text }).click();
}

async function write(number, text) {
  await phone("POST", `${number}/messages`, { to: given.number, text });
  for (const page of [allowed, refused]) await new Inbox(page).row(text).waitFor();
}

const prefers = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("patchbay.preferences") ?? "{}").notifications ?? false);
const look = (page, away) => page.evaluate((isAway) => Object.assign(window, { isAway }), away);
const noted = (page) => page.evaluate(() => ({ tones: window.tones, shown: window.shown.map(({ title, body, tag }) => ({ title, body, tag })) }));
const number = (index) => `278${index}${given.phone.slice(-7)}`;

const allowed = await open(given.admin, "granted");
const refused = await open(given.agent, "denied");
await command(allowed, "Turn notifications on");
await eventually("the choice", () => prefers(allowed));
await command(refused, "Turn notifications on");
await refused.getByText("The browser does not allow notifications of this page.").waitFor();
check(!(await prefers(refused)), "notifications are on without the permission of the browser");
await command(refused, "Turn sounds off");

// Both look elsewhere.
for (const page of [allowed, refused]) await look(page, true);
await write(number(5), "is anyone there?");
await eventually("a sound and a notification", async () => {
  const { tones, shown } = await noted(allowed);
  return tones.length > 0 && shown.length > 0;
});
const { tones, shown } = await noted(allowed);
check(tones.join() === "660,880", `the tones: ${tones}`);
check(shown.length > 0 && shown.every((one) => one.title === "A chat waits for an agent" && one.body && one.tag === shown[0].tag), `the notifications: ${JSON.stringify(shown)}`);
const silent = await noted(refused);
check(silent.tones.length === 0 && silent.shown.length === 0, `a viewer who wants none got ${JSON.stringify(silent)}`);

// The notification leads to the chat.
await allowed.evaluate(() => window.shown[0].onclick());
await allowed.waitForURL(`**/console/inbox/all/${shown[0].tag}`);
await new Inbox(allowed).sees("is anyone there?");
check(await allowed.evaluate(() => window.shown[0].isClosed), "the notification stays");

// None while the page is in view, and none if the browser has taken the permission back.
await look(allowed, false);
await write(number(6), "and now?");
await look(allowed, true);
await allowed.evaluate(() => {
  window.Notification.permission = "denied";
});
await write(number(7), "still there?");
const later = await noted(allowed);
check(later.shown.length === shown.length, `the notifications: ${JSON.stringify(later.shown)}`);

await chromium.close();
console.log("ok");
