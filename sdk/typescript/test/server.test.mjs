// The client with a real server. The environment names it: PATCHBAY_URL and the other variables of `settings`.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Patchbay, PatchbayError, verifyWebhook } from "patchbay-sdk";
import WebSocket from "ws";
import { relay } from "./stub.mjs";

const settings = {
  url: process.env.PATCHBAY_URL,
  key: process.env.PATCHBAY_API_KEY,
  sender: process.env.PATCHBAY_NUMBER,
  phones: process.env.PATCHBAY_PHONES,
  phone: process.env.PATCHBAY_PHONE,
};
const skip = settings.url ? false : "PATCHBAY_URL is not set";
const client = skip || new Patchbay(settings);

async function writeFromPhone(text) {
  const body = JSON.stringify({ to: settings.sender, text });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${settings.phones}/phones/${settings.phone}/messages`, { method: "POST", headers, body });
  assert.ok(answer.ok, await answer.text());
}

const recipients = () => [{ to: settings.phone, ctId: "sdk-1" }];

async function template(name) {
  for await (const one of client.items("/messaging-service/WhatsApp/templates", { query: { size: 2 } })) {
    if (one.name === name) return one;
  }
  throw new Error(`There is no template ${name}`);
}

test("a template, a text and an SMS are sent", { skip }, async () => {
  const { id, name } = await template("order_ready");
  const components = [
    { type: "body", parameters: ["Thandi", "#42"] },
    { type: "button", parameters: ["42"] },
  ];
  const whatsapp = { sender: settings.sender, messages: [{ recipients: recipients(), components }] };
  const sends = [
    { channel: "WHATSAPP", payload: { ...whatsapp, messageType: "NOTIFICATION", templateName: name, templateId: id } },
    {
      channel: "WHATSAPP",
      payload: { sender: settings.sender, messageType: "CHAT", messages: [{ recipients: recipients(), messageText: "hi" }] },
    },
    { channel: "SMS", payload: { messages: [{ recipients: recipients(), messageText: "hi" }] } },
  ];
  for (const send of sends) {
    const accepted = await client.send(send);
    assert.deepEqual([accepted.status, accepted.channel], ["ACCEPTED", send.channel]);
    const story = await client.message(accepted.acceptedRecipients[0].gstId);
    assert.equal(story.channel, send.channel);
  }
});

test("a repeated key sends once", { skip }, async () => {
  const send = { channel: "SMS", payload: { messages: [{ recipients: recipients(), messageText: "once" }] } };
  const idempotencyKey = crypto.randomUUID();
  const [first, second] = [await client.send(send, { idempotencyKey }), await client.send(send, { idempotencyKey })];
  assert.equal(first.batchId, second.batchId);
});

test("an error names the field at fault", { skip }, async () => {
  const error = await client.send({ channel: "SMS", payload: { messages: [] } }).catch((error) => error);
  assert.ok(error instanceof PatchbayError);
  assert.deepEqual([error.status, error.details[0].field], [400, "payload.messages"]);
  assert.ok(error.requestId);
});

test("pages are read to their end, each item once", { skip }, async () => {
  const path = "/messaging-service/WhatsApp/templates";
  const names = [];
  for await (const one of client.items(path, { query: { size: 3 } })) names.push(one.id);
  const { totalElements } = await client.request("get", path);
  assert.ok(names.length > 3);
  assert.deepEqual([names.length, new Set(names).size], [totalElements, totalElements]);
});

test("a real webhook is verified", { skip, timeout: 60_000 }, async () => {
  let arrive;
  const arrival = new Promise((resolve) => (arrive = resolve));
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end();
    arrive({ headers: request.headers, body: Buffer.concat(chunks) });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const path = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
  const incomingMessageURL = `http://127.0.0.1:${server.address().port}/incoming`;
  const { id } = await client.request("post", path, { body: { incomingMessageURL } });
  const { secret } = await client.request("get", `${path}/{id}/secret`, { path: { id } });
  await writeFromPhone("hello webhook");
  const { headers, body } = await arrival;
  const webhook = await verifyWebhook("incomingMessage", headers, body, { secret });
  assert.deepEqual([webhook.body.text, webhook.body.sender], ["hello webhook", settings.phone]);
  server.close();
  server.closeAllConnections();
});

test("live events continue after a cut connection, each once", { skip, timeout: 60_000 }, async () => {
  const between = await relay(settings.url);
  const watching = new Patchbay({ ...settings, url: between.url, retries: { firstDelay: 50 } });
  const texts = [];
  const sequences = [];
  for await (const event of watching.liveEvents({ WebSocket })) {
    sequences.push(event.sequence);
    if (event.type === "hello") {
      await writeFromPhone("one");
    } else if (event.type === "message.received") {
      texts.push(event.message.text);
      if (texts.length === 1) {
        between.cut();
        await writeFromPhone("two");
      } else if (texts.length === 2) break;
    }
  }
  assert.deepEqual(texts, ["one", "two"]);
  assert.deepEqual(sequences, [...new Set(sequences)].sort((a, b) => a - b));
  between.close();
});
