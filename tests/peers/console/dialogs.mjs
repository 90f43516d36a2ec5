// Every dialog of the console by keyboard alone: its opener leads into it, Tab stays in it, Escape closes it, and the focus is back at the
// opener.
import { readFileSync, readdirSync } from "node:fs";
import { api, browser, check, complaints, eventually, given, loaded, logIn, phone, tabTo } from "./stage.mjs";
import { DialogKeys } from "./dialog-keys.mjs";

/** Dialogs for which the simulators have no occasion, by their modules. */
const NOT_OPENED = { "administration/sms.js": 1 };

/** The dialogs that each module of the console has. */
function dialogsOfModules() {
  const top = new URL("../../../console/", import.meta.url);
  const common = ["ui/dialog.js", "developers/form.js"];
  const files = readdirSync(top, { recursive: true }).filter((one) => one.endsWith(".js") && !common.includes(one) && !one.startsWith("vendor/"));
  const counts = files.map((file) => [file, readFileSync(new URL(file, top), "utf8").match(/<\$\{(?:Dialog|FormDialog)\}|await confirm\(|<dialog/g)?.length ?? 0]);
  return Object.fromEntries(counts.filter(([, count]) => count));
}

const chromium = await browser();
const lite = `2799${given.phone.slice(-7)}`;

/** Gives the client a thing of each kind that has a dialog. */
async function furnish() {
  for (const type of ["text", "image"]) await phone("POST", `${given.phone}/messages`, { to: given.number, type, text: type === "text" ? "a question" : undefined });
  for (const path of given.versions) await api("POST", "/plugin-service/api/v1/plugins?name=greeter", readFileSync(path));
  await api("POST", "/plugin-service/api/v1/plugins/greeter/activate", { version: 1, mode: "live" });
  await api("POST", "/plugin-service/api/v1/plugins/greeter/recording", { mode: "live", maxCalls: 10, forSeconds: 600, sample: 1 });
  await api("POST", "/api/v1/teams", { name: "Night shift" });
  await api("POST", "/api/v1/test-keys", { name: "tests" });
  await api("PUT", "/messaging-service/WhatsApp/contact-attributes/plan", { label: "Plan", type: "TEXT" });
  const contact = await api("POST", "/messaging-service/WhatsApp/contacts", { fullName: "Thandi", phoneNumber: "+27820000001" });
  await api("POST", `/messaging-service/WhatsApp/contacts/${contact.id}/notes`, { text: "Prefers the afternoon." });
  await api("POST", "/chat-service/api/v2/canned-replies", { shortcut: "hours", text: "We are open." });
  await api("POST", "/messaging-service/WhatsApp/templates/sync");
  const hook = await api("POST", "/messaging-service/WhatsApp/WhatsAppClientWebHook", { incomingMessageURL: "http://127.0.0.1:9/incoming" });
  const site = await api("POST", "/messaging-service/web/sites", { name: "Shop", origins: ["https://shop.example"] });
  const chat = await eventually("the chat", async () => (await api("GET", "/chat-service/api/v2/chats?scope=all")).content[0]);
  // Another customer, for whom the bot is recorded and a webhook fails.
  await phone("POST", `2783${given.phone.slice(-7)}/messages`, { to: given.number, text: "for the record" });
  await api("POST", `/chat-service/api/v2/chats/${chat.id}/assign`);
  // The provider refuses the message for now, so that its batch goes on.
  const refused = `2784${given.phone.slice(-7)}`;
  await phone("PUT", refused, { rejectWith: { status: 500, code: 131000 } });
  const template = (await api("GET", "/messaging-service/WhatsApp/templates?size=100")).content.find((one) => one.name === "order_ready");
  const sent = await api("POST", "/whatsapp-api-service/v2/channels/whatsapp", {
    sender: given.number, messageType: "NOTIFICATION", templateName: template.name, templateId: template.id,
    messages: [{ recipients: [{ to: `+${refused}`, ctId: "refused" }], components: [{ type: "body", parameters: ["Thandi", "42"] }, { type: "button", parameters: ["42"] }] }],
  });
  return { hook: hook.id, site: site.id, chat: `/inbox/all/${chat.id}`, batch: sent.batchId };
}
const has = await furnish();
const page = await logIn(await chromium.newContext({ viewport: { width: 1400, height: 900 } }), "/contacts");

async function prepareSend() {
  await page.getByRole("button", { name: /^order_ready/ }).click();
  await page.getByLabel("Pasted recipients").fill(`+${given.phone},Thandi,42`);
  await page.getByLabel("Value of the button Open", { exact: true }).selectOption("2");
}

/** The module, the address, the title of the dialog, and the steps to it. */
const DIALOGS = [
  // While the provider still refuses the message.
  ["sends/batch.js", `/sends/${has.batch}`, "Cancel the rest of this send?", ["Cancel the rest"]],
  ["app/account.js", "/contacts", "Sessions and password", [/account and settings/, "> Sessions and password"]],
  ["inbox/assign.js", has.chat, "Assign", ["Assign"]],
  ["inbox/template-dialog.js", has.chat, "Send a template", ["Send a template"]],
  ["inbox/template-dialog.js", has.chat, "order_ready", ["Send a template", /^order_ready/]],
  ["inbox/content.js", has.chat, "Picture", ["Show the picture large"]],
  ["inbox/customer.js", has.chat, /name/i, [/^(Change the name|Name this customer)$/]],
  ["inbox/actions.js", has.chat, "Close this chat?", ["More actions", "> Close without an answer"]],
  ["contacts/dialogs.js", "/contacts", "New contact", ["New contact"]],
  ["contacts/import.js", "/contacts", "Import from CSV", ["Import from CSV"]],
  ["contacts/dialogs.js", "/contacts", "Thandi", [/Thandi/]],
  ["contacts/dialogs.js", "/contacts", "Delete contact", [/Thandi/, "Delete contact"]],
  ["contacts/merge.js", "/contacts", "Merge with another contact", [/Thandi/, "Merge with another contact"]],
  ["contacts/facts.js", "/contacts", "Delete this note", [/Thandi/, "Delete this note"]],
  ["supervision/teams.js", "/supervision/teams", "New team", ["New team"]],
  ["supervision/replies.js", "/supervision/replies", "New canned reply", ["New canned reply"]],
  ["supervision/replies.js", "/supervision/replies", "Delete /hours?", ["/hours", "Delete"]],
  ["administration/keys.js", "/administration/keys", "Replace your API key?", ["Make a new key"]],
  ["administration/keys.js", "/administration/keys", "Add a test key", ["Add a test key"]],
  ["administration/keys.js", "/administration/keys", "Delete the test key tests?", ["Remove tests"]],
  ["administration/users.js", "/administration/users", "Add a user", ["Add a user"]],
  ["administration/users.js", "/administration/users", "Chat limit of AGENT", ["Actions for AGENT", "> Chat limit"]],
  ["administration/users.js", "/administration/users", "Sessions of AGENT", ["Actions for AGENT", "> Sessions"]],
  ["administration/users.js", "/administration/users", "Remove the OpenID link of AGENT?", ["Actions for AGENT", "> Remove the OpenID link"]],
  ["administration/users.js", "/administration/users", "Delete the user AGENT?", ["Actions for AGENT", "> Delete"]],
  ["administration/users.js", "/administration/users", "Reset the password of AGENT?", ["Actions for AGENT", "> Reset the password"]],
  ["administration/users.js", "/administration/users", "AGENT", ["Actions for AGENT", "> Reset the password", "Reset the password"]],
  ["administration/teams.js", "/administration/teams", "Add a team", ["Add a team"]],
  ["administration/teams.js", "/administration/teams", "Members of Night shift", ["Night shift"]],
  ["administration/teams.js", "/administration/teams", "Delete the team Night shift?", ["Remove Night shift"]],
  ["administration/attributes.js", "/administration/attributes", "Add an attribute", ["Add an attribute"]],
  ["administration/attributes.js", "/administration/attributes", "Delete the attribute Plan with its values?", ["Remove Plan"]],
  ["administration/blocklist.js", "/administration/blocklist", "Block recipients", ["Block recipients"]],
  ["administration/requests.js", "/administration/requests", /^[A-Z]+ \//, ["the first row"]],
  ["webhooks/configure.js", `/webhooks/${has.hook}`, "Edit addresses", ["Edit addresses"]],
  ["webhooks/hand-over.js", `/webhooks/${has.hook}`, "Hand this page over", ["Hand this page over"]],
  ["webhooks/overview.js", `/webhooks/${has.hook}`, "Make a new secret?", ["Rotate the secret"]],
  ["webhooks/overview.js", `/webhooks/${has.hook}`, "Delete this configuration?", ["Delete this configuration"]],
  ["webhooks/resend.js", `/webhooks/${has.hook}/deliveries`, "Send failed deliveries again", ["Resend since"]],
  ["webhooks/delivery.js", `/webhooks/${has.hook}/deliveries`, "Delivery", ["the first row"]],
  ["numbers/sites.js", "/numbers/sites", "Add a site", ["Add a site"]],
  ["numbers/site.js", `/numbers/sites/${has.site}`, "Delete the site Shop?", ["Delete"]],
  ["numbers/site.js", `/numbers/sites/${has.site}`, "Replace the key of this site?", ["Replace the key"]],
  ["numbers/site.js", `/numbers/sites/${has.site}`, "Make a new secret?", ["Rotate the secret"]],
  ["numbers/numbers.js", "/numbers/whatsapp", "Register a Lite number", ["Register a Lite number"]],
  ["numbers/lite.js", "/numbers/whatsapp", "Pace and hours", ["Pace and hours"], async () => void (await api("POST", "/messaging-service/WhatsApp/WhatsAppClientNumbers/registerWLNumber", { number: `+${lite}` }))],
  ["numbers/pair.js", "/numbers/whatsapp", `Pair +${lite}`, ["Pair with a phone"]],
  ["numbers/lite.js", "/numbers/whatsapp", `Log +${lite} out?`, ["Log out"], () => fetch(`${given.phones}/lite/devices/${lite}/scan`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })],
  ["sends/new.js", "/sends/new", "Send 1 message now?", ["Send 1 message"], undefined, prepareSend],
  ["plugins/list.js", "/plugins", "Upload", ["Upload"]],
  ["plugins/secrets.js", "/plugins", "Shared secrets", ["Shared secrets"]],
  ["plugins/trust.js", "/plugins", "Keys and signatures", ["Keys and signatures"]],
  ["plugins/upload.js", "/plugins/greeter", "New version of greeter", ["New version"]],
  ["plugins/activate.js", "/plugins/greeter", "Activate greeter", ["Activate"]],
  ["plugins/rollback.js", "/plugins/greeter", "Roll back greeter", ["Roll back"]],
  ["plugins/origin.js", "/plugins/greeter", "Origin of v1", ["Actions for v1", "> Origin"]],
  ["plugins/overview.js", "/plugins/greeter", "Deactivate greeter?", ["Actions for All inboxes", "> Deactivate"]],
  ["plugins/page.js", "/plugins/greeter", "Delete greeter?", ["More", "> Delete the plugin"]],
  ["plugins/recordings.js", "/plugins/greeter/recordings", /^Call at /, ["the first row"]],
  ["flows/add.js", "/flows/new/faq", "Add a node", ["Add a node"]],
  ["flows/activate.js", "/flows/new/faq", "Activate the flow", ["Activate …"]],
  ["flows/editor.js", "/flows/new/faq", "Discard all changes?", ["Add a node", /^Message/, "More", "> Discard the changes"]],
  // The last one: the browser asks before it leaves a page with a send under way.
  ["sends/sending.js", "/sends/new", "Drop the rest of this send?", ["Send 1 message", "Send now", "Do not send the rest"], () => page.route("**/v2/channels/whatsapp", (route) => route.abort()), prepareSend],
];
const keys = new DialogKeys(page);
// Those of the whole console, from a link: the overlay of the keys and the palette.
const link = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Contacts" });
for (const [key, title] of [["?", "Keyboard shortcuts"], ["Control+k", "Command palette"]]) {
  await loaded(page);
  await tabTo(link);
  await page.keyboard.press(key);
  await page.getByRole("dialog", { name: title }).waitFor();
  await keys.keepsFocus(title, 3);
  await page.keyboard.press("Escape");
  await eventually(`the focus after "${title}"`, async () => (await keys.open.count()) === 0 && link.evaluate((one) => one === document.activeElement));
}

const faults = [];
for (const [module, path, title, steps, prepare, furnishPage] of DIALOGS) {
  try {
    await prepare?.();
    await page.goto(`${given.base}/console${path}`);
    await page.locator("#main h1, #main h2").first().waitFor();
    await loaded(page);
    await furnishPage?.();
    await keys.judge(title, steps);
  } catch (error) {
    faults.push(`${module}, "${title}": ${error.message}`);
  }
}
// Each dialog that the modules have was opened.
const opened = { ...NOT_OPENED, "app/help.js": 1, "app/palette.js": 1 };
for (const [module] of DIALOGS) opened[module] = (opened[module] ?? 0) + 1;
delete opened["plugins/list.js"];
for (const [module, count] of Object.entries(dialogsOfModules())) if (opened[module] !== count) faults.push(`${module} has ${count} dialogs, and ${opened[module] ?? 0} were opened`);
check(faults.length === 0, faults.join("\n"));
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
