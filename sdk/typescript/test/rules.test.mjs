// The rules of the client, with servers of the tests.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Patchbay, PatchbayError, WebhookVerificationError, verifyWebhook } from "patchbay-sdk";
import { stub } from "./stub.mjs";

const FAST = { firstDelay: 1, longestDelay: 2 };
const SEND = { channel: "SMS", payload: { messages: [{ recipients: [{ to: "27830000001" }], messageText: "hi" }] } };

async function withStub(answers, run) {
  const server = await stub(answers);
  try {
    return await run(new Patchbay({ url: server.url, key: "k", retries: FAST }), server.requests);
  } finally {
    server.close();
  }
}

test("a send is repeated with the same key until it is accepted", () =>
  withStub([[503, {}], [0], [429, {}], [202, { status: "ACCEPTED" }]], async (client, requests) => {
    assert.deepEqual(await client.send(SEND), { status: "ACCEPTED" });
    assert.equal(requests.length, 4);
    assert.equal(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, 1);
    assert.match(requests[0].headers["idempotency-key"], /^[0-9a-f-]{36}$/);
    assert.equal(requests[0].headers.authorization, "k");
  }));

test("a key of the caller is kept", () =>
  withStub([], async (client, requests) => {
    await client.send(SEND, { idempotencyKey: "order-7" });
    assert.equal(requests[0].headers["idempotency-key"], "order-7");
  }));

test("the longest pause is the one that the server asks for", () =>
  withStub([[429, {}, { "retry-after": "1" }]], async (client, requests) => {
    const begun = Date.now();
    await client.request("get", "/api/v1/users");
    assert.equal(requests.length, 2);
    assert.ok(Date.now() - begun >= 1000);
  }));

for (const status of [400, 401, 403, 404, 409]) {
  test(`${status} is not repeated`, () =>
    withStub([[status, { error: "Text", message: "why", details: [{ field: "f", message: "m" }] }]], async (client, requests) => {
      const error = await client.request("get", "/api/v1/users").catch((error) => error);
      assert.ok(error instanceof PatchbayError);
      assert.deepEqual([error.status, error.code, error.details[0].field], [status, "Text", "f"]);
      assert.equal(requests.length, 1);
    }));
}

test("five attempts are the most", () =>
  withStub(Array(9).fill([500, {}]), async (client, requests) => {
    await assert.rejects(client.send(SEND), { status: 500 });
    assert.equal(requests.length, 5);
  }));

test("a request that could take effect twice is not repeated without an answer", () =>
  withStub([[0], [0]], async (client, requests) => {
    await assert.rejects(client.request("post", "/api/v1/teams", { body: { name: "Sales" } }), TypeError);
    assert.equal(requests.length, 1);
  }));

test("the gateways get their header, and paths are escaped", () =>
  withStub([], async (client, requests) => {
    await client.request("post", "/sms/getBalance");
    await client.request("post", "/smsbatch/sms", { body: { message: "a b", cell: "1" } });
    await client.request("get", "/api/v1/clients/{clientRef}", { path: { clientRef: "a/b" } });
    assert.equal(requests[0].headers["x-api-key"], "k");
    assert.equal(String(requests[1].body), "message=a+b&cell=1");
    assert.equal(requests[2].url, "/api/v1/clients/a%2Fb");
  }));

const SECRET = `whsec_${Buffer.from("a secret of the tests").toString("base64")}`;

function signed(body, { secret = SECRET, timestamp = Math.floor(Date.now() / 1000) } = {}) {
  const key = Buffer.from(secret.slice(6), "base64");
  const signature = createHmac("sha256", key).update(`id-1.${timestamp}.${body}`).digest("base64");
  return { "Webhook-Id": "id-1", "Webhook-Timestamp": String(timestamp), "Webhook-Signature": `v1,AAAA v1,${signature}` };
}

test("a webhook is verified with the present or a replaced secret", async () => {
  const body = '{"gstId":"1","status":"READ"}';
  const other = `whsec_${Buffer.from("another").toString("base64")}`;
  for (const secret of [SECRET, [other, SECRET]]) {
    const webhook = await verifyWebhook("messageStatus", signed(body), body, { secret });
    assert.deepEqual([webhook.id, webhook.body.status], ["id-1", "READ"]);
  }
});

test("a webhook that is altered, unsigned, foreign or old is refused", async () => {
  const body = "{}";
  const attempts = [
    [signed(body), '{"a":1}'],
    [{ ...signed(body), "Webhook-Id": "id-2" }, body],
    [signed(body, { secret: `whsec_${Buffer.from("x").toString("base64")}` }), body],
    [signed(body, { timestamp: Math.floor(Date.now() / 1000) - 301 }), body],
    [{}, body],
  ];
  for (const [headers, given] of attempts) {
    await assert.rejects(verifyWebhook("messageStatus", headers, given, { secret: SECRET }), WebhookVerificationError);
  }
});
