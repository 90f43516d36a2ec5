// Drives the simulator with @kapso/whatsapp-cloud-api and prints one line of JSON per answer.
// node kapso_sends.mjs --peers DIR --base http://HOST:PORT --number PHONE_NUMBER_ID --waba WABA_ID --to MSISDN --read WAMID
import { load, options, tell } from "./peer.mjs";

const { peers, base, number, waba, to, read } = options("base", "number", "waba", "to", "read");
const { WhatsAppClient, buildTemplateSendPayload } = await load(peers, "@kapso/whatsapp-cloud-api");
const client = new WhatsAppClient({ accessToken: "any-token", baseUrl: base, graphVersion: "v25.0" });
const common = { phoneNumberId: number, to };

async function step(name, call) {
  try {
    tell({ step: name, answer: await call() });
  } catch (error) {
    const { code, httpStatus, details, message } = error;
    tell({ step: name, error: { code, httpStatus, details, message } });
  }
}

const png = Buffer.from("iVBORw0KGgo=", "base64");
const image = await client.media.upload({
  phoneNumberId: number, type: "image", file: new Blob([png], { type: "image/png" }), fileName: "a.png",
});
tell({ step: "upload", answer: image });

await step("text", () => client.messages.sendText({ ...common, body: "Hello from another client" }));
await step("image", () => client.messages.sendImage({ ...common, image: { id: image.id, caption: "a picture" } }));
await step("document", () => client.messages.sendDocument({
  ...common, document: { link: "https://host.example/a.pdf", filename: "a.pdf", caption: "a file" },
}));
await step("location", () => client.messages.sendLocation({
  ...common, location: { latitude: -26.1, longitude: 28, name: "Shop", address: "1 Main" },
}));
await step("contacts", () => client.messages.sendContacts({
  ...common, contacts: [{ name: { formattedName: "Thandi Nkosi", firstName: "Thandi" }, phones: [{ phone: "+27820000009" }] }],
}));
await step("buttons", () => client.messages.sendInteractiveButtons({
  ...common, bodyText: "Rate us", buttons: [{ id: "r_poor", title: "Poor" }, { id: "r_top", title: "Excellent" }],
}));
await step("list", () => client.messages.sendInteractiveList({
  ...common, bodyText: "Pick one", buttonText: "Menu",
  sections: [{ title: "Main", rows: [{ id: "x1", title: "Sales", description: "Buy" }] }],
}));
await step("reaction", () => client.messages.sendReaction({ ...common, reaction: { messageId: read, emoji: "👍" } }));

const orderReady = (body) => buildTemplateSendPayload({
  name: "order_ready", language: "en", body,
  buttons: [
    { type: "button", subType: "quick_reply", index: 0, parameters: [{ type: "payload", payload: "TRACK" }] },
    { type: "button", subType: "url", index: 1, parameters: [{ type: "text", text: "42" }] },
  ],
});
const values = [{ type: "text", text: "Thandi" }, { type: "text", text: "#42" }];
await step("template", () => client.messages.sendTemplate({ ...common, template: orderReady(values) }));
await step("template with a media header", () => client.messages.sendTemplate({
  ...common,
  template: buildTemplateSendPayload({
    name: "promo_image", language: "en",
    header: { type: "image", image: { link: "https://host.example/a.jpg" } }, body: [{ type: "text", text: "hats" }],
  }),
}));
await step("template with too few values", () =>
  client.messages.sendTemplate({ ...common, template: orderReady(values.slice(1)) }));
await step("mark read and typing", () =>
  client.messages.markRead({ phoneNumberId: number, messageId: read, typingIndicator: { type: "text" } }));
await step("media metadata", () => client.media.get({ mediaId: image.id }));
await step("media deleted", () => client.media.delete({ mediaId: image.id }));
await step("templates", () => client.templates.list({ businessAccountId: waba, limit: 100 }));
