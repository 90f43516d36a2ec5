// Drives the simulated Messenger with messaging-api-messenger and prints one line of JSON per answer.
// node messenger_sends.mjs --peers DIR --base http://HOST:PORT --to PSID --late PSID
import { load, options, tell } from "./peer.mjs";

const { peers, base, to, late } = options("base", "to", "late");
const { default: library } = await load(peers, "messaging-api-messenger");
const { MessengerClient } = library;
const client = new MessengerClient({ accessToken: "page-token", origin: base, version: "25.0" });

async function step(name, call) {
  try {
    tell({ step: name, answer: await call() });
  } catch (error) {
    const { code, errorSubcode: subcode } = error.response?.data?.error ?? {};
    tell({ step: name, error: { code, subcode, status: error.response?.status, message: error.message } });
  }
}

const answer = { messagingType: "RESPONSE" };
const replies = (count, title) =>
  Array.from({ length: count }, (_, n) => ({ contentType: "text", title, payload: `P${n}` }));

await step("text", () => client.sendText(to, "Hello from another client", answer));
await step("image", () => client.sendImage(to, "https://host.example/a.jpg", answer));
await step("file", () => client.sendFile(to, "https://host.example/a.pdf", answer));
const picture = Buffer.from("\u0089PNG of another client");
const uploaded = async (type) => {
  const options = { isReusable: true, filename: "a.png", contentType: "image/png" };
  const { attachmentId } = await client.uploadAttachment(type, picture, options);
  return attachmentId;
};
await step("image by its id", async () => client.sendImage(to, { attachmentId: await uploaded("image") }, answer));
await step("audio as an upload", () =>
  client.sendAudio(to, Buffer.from("ID3 of another client"), { ...answer, filename: "a.mp3", contentType: "audio/mpeg" }));
await step("an image by the id of nothing", () => client.sendImage(to, { attachmentId: "1" }, answer));
await step("an image that is called audio", () => uploaded("audio"));
await step("an image at an address of this machine", () =>
  client.sendImage(to, "http://127.0.0.1:8080/media/1/2", answer));
await step("quick replies", () =>
  client.sendText(to, "Rate us", { ...answer, quickReplies: replies(13, "exactly twenty chars") }));
await step("fourteen quick replies", () => client.sendText(to, "x", { ...answer, quickReplies: replies(14, "A") }));
await step("a title of 21", () => client.sendText(to, "x", { ...answer, quickReplies: replies(1, "one more than twenty!") }));
await step("2000 characters", () => client.sendText(to, "x".repeat(2000), answer));
await step("2001 characters", () => client.sendText(to, "x".repeat(2001), answer));
await step("typing", () => client.typingOn(to));
await step("seen", () => client.markSeen(to));
await step("profile", () => client.getUserProfile(to, { fields: ["first_name", "last_name"] }));
await step("late", () => client.sendText(late, "too late", answer));
await step("late with a tag", () => client.sendText(late, "a person writes", { tag: "HUMAN_AGENT" }));
await step("another tag", () => client.sendText(late, "x", { tag: "CONFIRMED_EVENT_UPDATE" }));
await step("a stranger", () => client.sendText("999", "x", answer));
