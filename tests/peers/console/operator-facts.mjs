// Each fact of the report about the service is on a page of operators, as `patchbay status` prints it. The report is one of the API's schema
// with another value in each field.
import { browser, check, complaints, given, loaded, visit } from "./stage.mjs";
import english from "../../../console/texts/en.js";

const texts = english.operators;
const STATUS = "/operator-service/api/v1/status";
const PARTS = ["", "/queues", "/connections", "/plugins", "/storage", "/clients"];
/** Facts that the report also has elsewhere: in its lists of problems, lanes, providers and plugins. */
const ELSEWHERE = ["storage.disabledSafeguards", "processes.calls", "processes.lastSuccessTimes", "processes.waits", "processes.suspendedPlugins", "processes.stopped"];
/** The words for values of these fields. */
const WORDS = {
  "plugins.condition": texts.condition, "problems.kind": texts.problem, "processes.role": texts.role, "processes.state": texts.state,
  "queues.oldestLanes.state": texts.work,
};
const MIB = 1024 * 1024;
const DAY_S = 86_400;
/** Time of the report. */
const NOW = Date.parse("2026-06-01T12:00:00Z");
const whole = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

const api = await (await fetch(`${given.base}/openapi.json`)).json();
/** The path of each fact, and the texts of which one must be on a page: `words` stand alone. @type {Array<{path: string, shown: string[], words: boolean}>} */
const facts = [];

// A value of a field, and its text on the page. Each number has three digits of its own.
function valueOf({ type, format, enum: values }, path) {
  const number = 100 + facts.length;
  const [kind] = [type].flat();
  const found = (value, ...shown) => {
    facts.push({ path, shown, words: Boolean(values) || kind === "boolean" });
    return value;
  };
  if (values) return found(values[0], WORDS[path][values[0]]);
  if (kind === "boolean") return found(true, texts[path.split(".").at(-1)]);
  if (path === "time") return found(new Date(NOW).toISOString(), whole.format(NOW));
  // The page has how long a process has run.
  if (path === "processes.startedTime") return found(new Date(NOW - number * DAY_S * 1000).toISOString(), `${number} days`);
  if (format === "date-time") return found(new Date(NOW - number * DAY_S * 1000).toISOString(), whole.format(NOW - number * DAY_S * 1000));
  if (format === "uuid") return found(`00000000-0000-4000-8000-000000000${number}`, `00000000-0000-4000-8000-000000000${number}`);
  if (kind === "string") return found(`fact-${number}`, `fact-${number}`);
  if (/bytes$/i.test(path)) return found(number * MIB, `${number} MiB`);
  if (path.endsWith("Seconds")) return found(number * DAY_S, `${number} days`);
  if (path.endsWith("Micros")) return found(number * 1000, `${number} ms`);
  return found(1000 + number, `1,${number}`, `1${number}`);
}

function made(schema, path = "") {
  if (ELSEWHERE.includes(path)) return undefined;
  if (schema.$ref) return made(api.components.schemas[schema.$ref.split("/").at(-1)], path);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => made(one, path)));
  if (schema.oneOf) return made(schema.oneOf.find((one) => one.type !== "null"), path);
  if (schema.items) return [made(schema.items, path)];
  if (!schema.properties) return valueOf(schema, path);
  return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, made(one, path ? `${path}.${name}` : name)]));
}

const report = made(api.paths[STATUS].get.responses[200].content["application/json"].schema);
check(facts.length > 80 && facts.length < 900, `the report has ${facts.length} facts`);
// The process of the background work is the one that reports.
report.nodes[0].id = report.processes[0].id;
facts.splice(facts.findIndex((one) => one.path === "nodes.id"), 1);

const chromium = await browser();
const context = await chromium.newContext({ timezoneId: "UTC", locale: "en" });
await context.route(`${given.base}${STATUS}`, (route) => route.fulfill({ json: report }));
const page = await visit(context, `${given.base}/console/operators`);
await page.getByLabel("Key of the operator").fill(given.operator);
await page.keyboard.press("Enter");
await page.getByRole("heading", { level: 1, name: "Operation" }).waitFor();

const seen = new Set();
for (const part of PARTS) {
  await page.goto(`${given.base}/console/operators${part}`);
  await page.locator("main section").first().waitFor();
  await loaded(page);
  const found = await page.locator("#main").evaluate((main) => [...main.querySelectorAll("*")].flatMap((one) => [
    one.getAttribute("title") ?? "", ...[...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data.trim()),
  ]));
  for (const text of found) seen.add(text.replaceAll("\u202f", " "));
}
const all = [...seen].join("\n");
const isShown = ({ shown, words }) => shown.some((text) => (words ? seen.has(text) : all.includes(text.replaceAll("\u202f", " "))));
const missing = facts.filter((one) => !isShown(one)).map(({ path, shown }) => `${path}: ${shown[0]}`);
check(missing.length === 0, `not on a page of operators:\n${missing.join("\n")}`);
check(complaints(page).length === 0, complaints(page).join("\n"));
await chromium.close();
console.log("ok");
