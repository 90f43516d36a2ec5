// A page of another origin that uses the same tag gets no widget, and nothing of what the visitor of the site has.
import { Widget, browser, check, eventually, given, visit } from "./stage.mjs";

const chromium = await browser();
const context = await chromium.newContext();
const home = await new Widget(await visit(context, given.page)).open();
await home.write("a secret of the shop");
await home.sees("a secret of the shop");

const hostile = await visit(context, given.hostile);
await eventually("the refusal of the hostile page", () => hostile.complaints.some((one) => one.includes("403") || one.includes("CORS")));
check((await hostile.locator("patchbay-chat").count()) === 0, "the hostile page shows a widget");
const stolen = await hostile.evaluate(async ([base, key]) => {
  const tried = [];
  try {
    const answer = await fetch(`${base}/web-chat/sessions?site=${key}`, {
      method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: "{}",
    });
    tried.push(`read ${answer.status}`);
  } catch (refused) {
    tried.push("unreadable");
  }
  tried.push(await new Promise((resolve) => {
    const socket = new WebSocket(`${base.replace("http", "ws")}/web-chat/socket?site=${key}`, "patchbay.web-chat.v1");
    socket.onopen = () => resolve("opened");
    socket.onerror = () => resolve("closed");
  }));
  return tried;
}, [given.base, given.key]);
check(stolen.join() === "unreadable,closed", `the hostile page got in: ${stolen}`);
await chromium.close();
console.log("ok");
