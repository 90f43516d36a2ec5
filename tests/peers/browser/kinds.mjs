// Each kind of message on each phone: a person sends it, so it is a bubble of its kind and the bot of the business says what came; then
// the bot and an agent send each kind that the business can send, and the phone shows it.
import { Phone, phonesContext } from "./phone.mjs";
import { browser, check, eventually, given, isFull, visit } from "./stage.mjs";

const CHATS = "/chat-service/api/v2/chats";
const MESSAGES = "/chat-service/api/v2/messages";
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="#2a6f97"/></svg>';
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The menu of each phone: the part that shows a kind on the phone, and the message at the server: its kind, and its file type or text. */
const FILES = {
  "Photo": ["img.photo", "IMAGE jpg"],
  "Video": ["video", "VIDEO mp4"],
  "Voice note": [".sound audio", "VOICE ogg"],
  "Document": ["a.file", "DOCUMENT pdf"],
  "Sticker": ["img.sticker", "IMAGE webp"],
  "Place": [".place", "LOCATION Table Mountain"],
};
const CONTACT = { "Contact": [".contact", "TEXT Thandi Nkosi"] };
const UNKNOWN = { "Unknown kind": ["p", "TEXT unsupported message"] };
const MENUS = {
  WhatsApp: { ...FILES, ...CONTACT, "Order": [".header", "TEXT Before noon, please"], ...UNKNOWN },
  Messenger: { ...FILES, "Voice note": [".sound audio", "AUDIO ogg"], "Shared link": ["p", "TEXT A page"], "Get started": ["p", "BUTTON Get started"], ...UNKNOWN },
  Telegram: { ...FILES, ...CONTACT, "Die": ["p.big", "TEXT unsupported message (dice)"] },
};
const CHANNELS = { WhatsApp: "WHATSAPP", Messenger: "FACEBOOK", Telegram: "TELEGRAM" };
/** The part that shows a place of the business: pages of Messenger send it as words. */
const placePart = (phone) => (phone.title === "Messenger" ? "p" : ".place");
/** Kinds with a form, and the button that sends it. */
const FORMS = { Place: "Send the place", Contact: "Send the contact" };

async function api(method, path, body, key = given.apiKey) {
  const isForm = body instanceof FormData;
  const headers = { authorization: key, ...(isForm ? {} : { "content-type": "application/json" }) };
  const answer = await fetch(given.base + path, { method, headers, body: isForm ? body : body && JSON.stringify(body) });
  const text = await answer.text();
  check(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** The address of a file that an agent uploads. */
async function uploaded(name, type, bytes) {
  const form = new FormData();
  form.append("file", new Blob([bytes], { type }), name);
  return (await api("POST", `${MESSAGES}/media`, form, given.agentKey)).mediaUrl;
}

const sampleFile = async (name) => Buffer.from(await (await fetch(`${given.page}/page/samples/${name}`)).arrayBuffer());

await api("POST", "/plugin-service/api/v1/plugins/clerk/activate", { mode: "live" });
const templates = await api("GET", "/messaging-service/WhatsApp/templates?size=100");
const carousel = templates.content.find((one) => one.name === "summer_carousel").id;
const photo = await uploaded("dot.png", "image/png", Buffer.from(PNG, "base64"));
const clip = await uploaded("clip.mp4", "video/mp4", await sampleFile("clip.mp4"));
const voice = await uploaded("voice.ogg", "audio/ogg", await sampleFile("voice.ogg"));
const menu = await uploaded("menu.pdf", "application/pdf", await sampleFile("menu.pdf"));

const chromium = await browser();
const at = await phonesContext(chromium, { viewport: { width: 1800, height: 1000 } });
await at.route("https://shop.example/**", (asked) => asked.fulfill({ contentType: "image/svg+xml", body: PICTURE }));
const page = await visit(at, given.page);
await page.getByRole("status").getByText("Live").waitFor();

const hears = (phone, words) => eventually(`"${words}" on ${phone.title}`, async () =>
  (await phone.parts("theirs", "p").allTextContents()).some((one) => one.includes(words)));

// How many messages of customers on a channel have this kind, and a file type or text that begins so.
async function arrived(phone, message) {
  const chats = (await api("GET", `${CHATS}?scope=all`)).content.filter((one) => one.channel === CHANNELS[phone.title]);
  const all = await Promise.all(chats.map((one) => api("GET", `${MESSAGES}?participantId=${one.id}`)));
  return all.flat().filter((one) => one.direction === "INCOMING" && `${one.contentType} ${one.fileExtension ?? one.text}`.startsWith(message)).length;
}

// The kinds of the menu, in its order.
async function sendsEachKind(phone, kinds) {
  await phone.more.click();
  const offered = await phone.root.getByRole("group", { name: "Kinds of content" }).getByRole("button").allTextContents();
  check(offered.map((one) => one.trim()).join() === ["File…", ...Object.keys(kinds)].join(), `${phone.title} offers ${offered}`);
  await phone.more.click();
  for (const [kind, [part, message]] of Object.entries(kinds)) {
    const before = await arrived(phone, message);
    const shown = await phone.gets("mine", part, async () => {
      await phone.sends(kind);
      if (FORMS[kind]) await phone.root.getByRole("button", { name: FORMS[kind] }).click();
    });
    if (part.startsWith("img")) await eventually(`the picture of ${kind}`, () => shown.evaluate((one) => one.naturalWidth > 1));
    await eventually(`${kind} of ${phone.title} at the server: ${message}`, async () => (await arrived(phone, message)) === before + 1);
  }
}

async function reactsAndQuotes(phone) {
  await phone.write("say first");
  await hears(phone, "first");
  const open = () => phone.log.getByRole("button", { name: /^React or reply to: first/ }).click();
  await open();
  await phone.gets("theirs", ".reactions", () => phone.log.getByRole("button", { name: "React with 👍" }).click());
  await hears(phone, "got reaction 👍");
  await open();
  await phone.log.getByRole("button", { name: "Reply", exact: true }).click();
  await phone.gets("mine", "blockquote", () => phone.write("say second"));
  await hears(phone, "second");
}

// A bot sends buttons, a list, cards, a place, a file and a quote; a tap on each choice comes back.
async function getsFromTheBot(phone) {
  await phone.write("buttons");
  await phone.log.getByRole("button", { name: "Yes", exact: true }).click();
  await hears(phone, "yes-id");
  await phone.write("list");
  if (phone.title === "WhatsApp") {
    await phone.log.getByRole("button", { name: "Open", exact: true }).click();
    await phone.root.getByRole("dialog", { name: "Open" }).getByRole("button", { name: "Blue" }).click();
  } else if (phone.title === "Messenger") {
    await hears(phone, "2. Blue");
    await phone.write("2");
  } else {
    await phone.log.getByRole("button", { name: "Blue", exact: true }).click();
  }
  await hears(phone, "blue-id");
  await phone.gets("theirs", placePart(phone), () => phone.write("place"));
  await phone.gets("theirs", "a.file", () => phone.write("send-file menu.pdf"));
  await phone.gets("theirs", "blockquote", () => phone.write("quote"));
}

// WhatsApp has cards; elsewhere they are text.
async function getsCards(phone) {
  await phone.write(`carousel ${carousel} summer_carousel`);
  if (phone.title !== "WhatsApp") {
    await hears(phone, "Our red range");
    return;
  }
  const cards = phone.log.getByRole("group", { name: /^Cards of/ });
  await cards.waitFor();
  check((await cards.locator(".card").count()) === 2, "there are not two cards");
  await eventually("the pictures of the cards", async () => (await cards.locator("img").evaluateAll((all) => all.map((one) => one.naturalWidth))).join() === "320,320");
  await cards.locator(".card").filter({ hasText: "Our red range" }).getByRole("button", { name: "More" }).click();
  await hears(phone, "more-red");
}

// The chat of a phone goes to an agent, who sends each kind of file, a place, a reaction and a quote.
async function getsFromAnAgent(phone, channel) {
  await phone.write("person");
  await hears(phone, "one moment");
  const chat = await eventually(`the chat of ${phone.title}`, async () =>
    (await api("GET", `${CHATS}?scope=unassigned`)).content.find((one) => one.channel === channel));
  await api("POST", `${CHATS}/${chat.id}/assign`, undefined, given.agentKey);
  const say = (content) => api("POST", MESSAGES, { participantId: chat.id, channel, ...content }, given.agentKey);
  const own = async () => (await api("GET", `${MESSAGES}?participantId=${chat.id}`)).find((one) => one.text === "person");
  for (const [part, content] of [
    ["img.photo", { mediaUrl: photo }], ["video", { mediaUrl: clip }], ["audio", { mediaUrl: voice }], ["a.file", { mediaUrl: menu }],
    [placePart(phone), { location: { latitude: -26.1, longitude: 28.05, name: "Shop" } }],
  ]) await phone.gets("theirs", part, () => say(content));
  const { id } = await own();
  await phone.gets("theirs", "blockquote", () => say({ text: "Quoted by an agent.", quotedExternalMessageId: id }));
  await phone.gets("mine", ".reactions", () => say({ reaction: { emoji: "❤️", externalMessageId: id } }));
}

for (const title of isFull ? Object.keys(MENUS) : ["WhatsApp"]) {
  const phone = new Phone(page, title);
  await sendsEachKind(phone, MENUS[title]);
  await reactsAndQuotes(phone);
  await getsFromTheBot(phone);
  await getsCards(phone);
  await getsFromAnAgent(phone, CHANNELS[title]);
}

// SMS both ways: the business writes first, and its bot answers.
const sms = new Phone(page, "SMS");
await api("POST", "/whatsapp-api-service/v2/channels/sms", { messages: [{ recipients: [{ to: "27820000001" }], messageText: "Your parcel is here." }] });
await sms.sees("Your parcel is here.");
await sms.gets("mine", "p", () => sms.write("say thanks"));
await hears(sms, "thanks");
check((await sms.more.count()) === 0, "SMS has files");

// A visitor of the site: a text, files, and a tap on a card.
const shop = page.frameLocator("#web iframe");
const log = shop.getByRole("log");
await shop.locator("patchbay-chat .launcher").click();
const field = shop.getByRole("textbox", { name: "Write a message" });
const writes = async (text) => {
  await field.fill(text);
  await field.press("Enter");
};
const says = (words) => eventually(`"${words}" on the site`, async () => (await log.locator("li:not(.own)").allTextContents()).some((one) => one.includes(words)));
for (const [name, mimeType, buffer, part, words] of [
  ["dot.png", "image/png", Buffer.from(PNG, "base64"), "li.own img", "got MediaKind::Image png"],
  ["clip.mp4", "video/mp4", await sampleFile("clip.mp4"), "li.own video", "got MediaKind::Video mp4"],
  ["voice.ogg", "audio/ogg", await sampleFile("voice.ogg"), "li.own audio", "got MediaKind::Audio ogg"],
  ["menu.pdf", "application/pdf", await sampleFile("menu.pdf"), "li.own a", "got MediaKind::Document pdf"],
]) {
  await shop.locator("patchbay-chat input[type=file]").setInputFiles({ name, mimeType, buffer });
  await log.locator(part).last().waitFor();
  await says(words);
}
await writes("list");
await log.getByRole("button", { name: "Blue" }).click();
await says("blue-id");
await writes(`carousel ${carousel} summer_carousel`);
await log.getByRole("group", { name: "Our red range" }).getByRole("button", { name: "More" }).click();
await says("more-red");
await writes("place");
await says("Shop");

check(page.complaints.length === 0, page.complaints.join("\n"));
if (process.env.PATCHBAY_SHOTS) await page.screenshot({ path: `${process.env.PATCHBAY_SHOTS}/kinds.png` });
await chromium.close();
console.log("ok");
