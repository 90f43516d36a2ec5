// Fills the demo client with a plausible week: agents, customers on every channel, figures, webhooks, a plugin with a canary.
import { createServer } from "node:http";
import { BOT, CANNED_REPLIES, PAST, QUESTIONS, TEAMS, TODAY, USERS } from "./people.mjs";

export const PASSWORD = "correct horse battery";
const NUMBER = "27110000000";
const PLUGIN = "shop-bot";
const CHATS = "/chat-service/api/v2";
const PLUGINS = "/plugin-service/api/v1/plugins";
const HOOKS = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
const PATIENCE_MS = 60_000;
const HOUR = 3600;

export async function eventually(what, probe) {
  const end = Date.now() + PATIENCE_MS;
  for (let last; ; ) {
    try {
      last = await probe();
    } catch (error) {
      last = error;
    }
    if (last && !(last instanceof Error)) return last;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Tells the same numbers in every run. */
function numbers(seed) {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
}

/** A component with some bytes more, which are no code: another version. */
function otherVersion(component) {
  return Buffer.concat([component, Buffer.from([0, 9, 7]), Buffer.from("release2")]);
}

export class Demo {
  constructor(program, component) {
    Object.assign(this, program);
    this.component = component;
    this.random = numbers(7);
    /** Keys and ids of the users by their first names. */
    this.users = {};
  }

  async call(method, path, body, key = this.key) {
    const raw = body instanceof Buffer;
    const headers = { authorization: key, ...(body ? { "content-type": raw ? "application/wasm" : "application/json" } : {}) };
    const answer = await fetch(this.base + path, { method, headers, body: raw ? body : body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  async phone(path, body, method = "POST") {
    const answer = await fetch(`${this.phones}${path}`, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  /** Moves the business clock, and returns its time. */
  async wait(seconds) {
    const { now } = await this.call("POST", "/testing/clock/advance", { seconds: Math.max(0, Math.round(seconds)) });
    this.now = Date.parse(now);
    this.ahead = this.now - Date.now();
    return this.now;
  }

  async waitUntil(time) {
    return this.wait((time - (await this.wait(0))) / 1000);
  }

  async fill() {
    // It ends on a Thursday at 10:40 in Johannesburg, and begins a week before.
    const end = new Date((await this.wait(0)) + 8 * 24 * HOUR * 1000);
    end.setUTCDate(end.getUTCDate() + ((11 - end.getUTCDay()) % 7));
    end.setUTCHours(8, 26, 0, 0);
    await this.waitUntil(end.getTime() - 7 * 24 * HOUR * 1000);
    await this.people();
    await this.plugin();
    await this.past(end.getTime());
    await this.waitUntil(end.getTime());
    await this.canary();
    await this.webhooks();
    await this.canaryCalls();
    for (const chat of TODAY) await this.converse(chat);
    await this.sends();
  }

  async people() {
    const teams = {};
    for (const name of TEAMS) teams[name] = await this.call("POST", "/api/v1/teams", { name });
    for (const user of USERS) {
      const made = this.admin("user", "create", "--client", "demo", "--email", user.email, "--password", PASSWORD, "--name", user.name, "--role", user.role, "--team", user.team);
      this.users[user.name.split(" ")[0]] = { ...user, id: made.userId, key: made.apiKey, teamId: teams[user.team].id };
      await this.call("PUT", "/api/v1/users/me/availability", { available: user.name !== "Jonas Weber" }, made.apiKey);
    }
    await this.call("PUT", "/api/v1/clients/me", { displayName: "Sample Shop", timeZone: "Africa/Johannesburg", ratingWidget: true });
    // Some of the customers of the past days are in the address book.
    const contacts = PAST.slice(0, 12).map((name, index) => `${name},+${27821000000 + index},${index % 3 ? "newsletter" : "vip"}`);
    await this.call("POST", "/messaging-service/WhatsApp/contacts/import", { csv: ["fullName,phoneNumber,tags", ...contacts].join("\n"), commit: true });
    for (const [shortcut, text] of CANNED_REPLIES) await this.call("POST", `${CHATS}/canned-replies`, { shortcut, text });
  }

  async plugin() {
    for (const bytes of [this.component, otherVersion(this.component)]) await this.call("POST", `${PLUGINS}?name=${PLUGIN}`, bytes);
    await this.call("POST", `${PLUGINS}/${PLUGIN}/activate`, { version: 1, mode: "live", config: BOT });
  }

  async canary() {
    await this.call("POST", `${PLUGINS}/${PLUGIN}/activate`, { version: 2, mode: "canary", percent: 25 });
  }

  /** Six days with customers who ask for a person. */
  async past(end) {
    let customer = 0;
    for (let day = 7; day > 0; day -= 1) {
      // Fewer chats at the week-end.
      const date = new Date(end - day * 24 * HOUR * 1000);
      const weekend = date.getUTCDay() % 6 === 0;
      for (const hour of weekend ? [9] : [7, 9, 11, 14]) {
        await this.waitUntil(date.setUTCHours(hour, 5 + this.random(40), 0, 0));
        const guests = Array.from({ length: weekend ? 2 : 2 + this.random(4) }, () => customer++);
        await this.wave(guests);
      }
    }
  }

  /** Some customers at the same time. */
  async wave(guests) {
    const agents = Object.values(this.users).filter((user) => user.name !== "Jonas Weber");
    const chats = await Promise.all(guests.map(async (guest) => {
      const chat = { name: PAST[guest % PAST.length], channel: "WHATSAPP", id: String(27821000000 + (guest % PAST.length)) };
      await this.meet(chat);
      await this.step(chat, "in", "person");
      await this.step(chat, "bot");
      await this.step(chat, "in", QUESTIONS[guest % QUESTIONS.length][0]);
      return { ...chat, guest, agent: agents[this.random(agents.length)].name.split(" ")[0] };
    }));
    for (const chat of chats) {
      await this.wait(25 + this.random(150));
      await this.step(chat, chat.agent, QUESTIONS[chat.guest % QUESTIONS.length][1]);
    }
    await this.wait(120 + this.random(600));
    await Promise.all(chats.map(async (chat) => {
      await this.step(chat, "in", "Thank you!");
      // Which asks for a rating.
      await this.step(chat, "terminate", chat.agent);
      if (chat.guest % 4 === 3) return;
      const rating = chat.guest % 11 === 5 ? "Average" : "Excellent";
      await eventually("the question for a rating", () => this.phone(`/phones/${chat.id}/tap`, { button: rating }));
    }));
  }

  async converse(chat) {
    await this.meet(chat);
    for (const step of chat.steps) await this.step(chat, ...step);
    const number = chat.channel === "WHATSAPP" ? chat.id : "";
    if (number && chat.tags) {
      const contact = await this.call("POST", "/messaging-service/WhatsApp/contacts", { fullName: chat.name, phoneNumber: number });
      await this.call("PUT", `/messaging-service/WhatsApp/contacts/${contact.id}/tags`, { tags: chat.tags });
      await this.call("POST", `/messaging-service/WhatsApp/contacts/${contact.id}/notes`, { text: chat.about }, this.users.Nomsa.key);
    }
  }

  /** Gives the phone of a customer its name. */
  async meet({ name, channel, id }) {
    const [first, ...last] = name.split(" ");
    if (channel === "WHATSAPP") return this.phone(`/phones/${id}`, { name }, "PUT");
    if (channel === "TELEGRAM") return this.phone(`/telegram/phones/${id}`, { firstName: first, lastName: last.join(" ") }, "PUT");
    return this.phone(`/messenger/phones/${id}`, { firstName: first, lastName: last.join(" ") }, "PUT");
  }

  async step(chat, who, what, text) {
    if (who === "wait") return this.wait(what);
    if (who === "in" || who === "tap") return this.say(chat, who, what);
    if (who === "read") return this.phone(`/phones/${chat.id}/read`, {});
    const { id } = await this.chatOf(chat);
    if (who === "bot") return eventually(`the bot for ${chat.name}`, async () => (await this.history(id)).at(-1)?.messageOwner === "BOT");
    const user = this.users[["note", "resolve", "terminate"].includes(who) ? what : who];
    if (who === "resolve" || who === "terminate") return this.call("POST", `${CHATS}/chats/${id}/${who}`, undefined, user.key);
    if (who === "note") {
      const mentions = USERS.filter((one) => text.includes(`@${one.name}`)).map((one) => this.users[one.name.split(" ")[0]].id);
      return this.call("POST", `${CHATS}/chats/${id}/notes`, { text, mentions }, user.key);
    }
    const found = await this.call("GET", `${CHATS}/chats/${id}`);
    if (found.assignedTo?.id !== user.id) await this.call("POST", `${CHATS}/chats/${id}/assign`, undefined, user.key);
    await this.call("POST", `${CHATS}/messages`, { participantId: id, channel: chat.channel, text: what }, user.key);
    return eventually(`the delivery of "${what}"`, async () => ["DELIVERED", "READ", "SENT"].includes((await this.history(id)).findLast((one) => one.text === what)?.status));
  }

  async say(chat, who, what) {
    const place = { WHATSAPP: "/phones", TELEGRAM: "/telegram/phones", FACEBOOK: "/messenger/phones" }[chat.channel];
    // The question of the bot may still be on its way.
    if (who === "tap") await eventually(`the button "${what}"`, () => this.phone(`${place}/${chat.id}/tap`, { button: what }));
    else await this.phone(`${place}/${chat.id}/messages`, { ...(chat.channel === "WHATSAPP" ? { to: NUMBER } : {}), text: what });
    await eventually(`"${what}" of ${chat.name}`, async () => {
      const found = await this.chatOf(chat, false);
      return found && (await this.history(found.id)).slice(-3).some((one) => one.direction === "INCOMING" && one.text === what);
    });
  }

  async chatOf(chat, must = true) {
    if (chat.participant) return { id: chat.participant };
    const search = chat.channel === "WHATSAPP" ? chat.id : chat.name;
    const { content } = await this.call("GET", `${CHATS}/chats?scope=all&size=5&search=${encodeURIComponent(search)}`);
    const found = content.find((one) => one.channel === chat.channel);
    if (!found && must) throw new Error(`${chat.name} has no chat`);
    chat.participant = found?.id;
    return found;
  }

  history(id) {
    return this.call("GET", `${CHATS}/messages?participantId=${id}&size=20`);
  }

  /** A receiver that takes messages, and fails for statuses. */
  async webhooks() {
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => {
        const failed = request.url === "/status";
        response.writeHead(failed ? 500 : 200, { "content-type": "application/json" });
        response.end(failed ? JSON.stringify({ error: "column orders.state does not exist" }) : "{}");
      });
    });
    await new Promise((resolve) => receiver.listen(9000, "127.0.0.1", resolve).once("error", () => receiver.listen(0, "127.0.0.1", resolve)));
    receiver.unref();
    const url = `http://127.0.0.1:${receiver.address().port}`;
    this.hook = await this.call("POST", HOOKS, { incomingMessageURL: `${url}/incoming`, statusUpdateURL: `${url}/status`, chatbotWebhookURL: `${url}/chatbot`, chatbotIncludeOutgoing: true, chatbotPayloadVersion: "v2" });
  }

  /** Short talks with the bot, for the figures of the canary. */
  async canaryCalls() {
    const guests = Array.from({ length: 36 }, (_, guest) => ({ name: PAST[guest % PAST.length], channel: "WHATSAPP", id: String(27821000100 + guest) }));
    for (let first = 0; first < guests.length; first += 6) {
      await Promise.all(guests.slice(first, first + 6).map(async (guest) => {
        await this.meet(guest);
        for (const text of ["hi", "delivery", "opening hours"]) {
          await this.step(guest, "in", text);
          await this.step(guest, "bot");
        }
      }));
    }
  }

  /** A message that goes out by SMS because its recipient is not on WhatsApp. */
  async sends() {
    const { content } = await this.call("GET", "/messaging-service/WhatsApp/templates?size=50");
    const template = content.find((one) => one.name === "order_ready");
    await this.phone("/phones/27820000019", { onWhatsApp: false }, "PUT");
    const { id, templateId } = { id: "order-4471", templateId: template.id };
    await this.call("POST", "/whatsapp-api-service/v2/channels/whatsapp", {
      sender: NUMBER, messageType: "NOTIFICATION", templateName: "order_ready", templateId, fallback: { sendFallback: true, unicode: false },
      messages: [{ recipients: [{ to: "+27820000019", ctId: id }], components: [{ type: "body", parameters: ["Sipho", "4471"] }, { type: "button", parameters: ["4471"] }] }],
    });
    this.tracking = id;
    await eventually("the SMS", async () => {
      const { messages } = await (await fetch(`${this.phones}/phones/27820000019/inbox`)).json();
      return messages.some((one) => one.channel === "SMS" || one.channel === "sms");
    });
  }
}
