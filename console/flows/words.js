// The words by which a node is known on its card and in lists.
import { t } from "#app/i18n.js";
import { inUnit } from "#app/numbers.js";

/** A text in the usual language of the flow. @param {any} text @param {string[]} [languages] @returns {string} */
export function textIn(text, languages) {
  if (typeof text === "string") return text;
  if (typeof text !== "object" || text === null) return "";
  const found = text[languages?.[0] ?? ""] ?? Object.values(text)[0];
  return typeof found === "string" ? found : "";
}

/** A time in the largest unit that fits. @param {number} seconds */
export function durationText(seconds) {
  const [unit, size] = seconds % 86_400 === 0 ? ["day", 86_400] : seconds % 3600 === 0 ? ["hour", 3600] : seconds % 60 === 0 ? ["minute", 60] : ["second", 1];
  return inUnit(seconds / Number(size), String(unit), 3, "long");
}

/** One or two lines that say what a node does. @param {import("./model.js").FlowNode} node @param {string[]} [languages] @returns {string} */
export function summaryOf(node, languages) {
  if (node.type === "condition") return t("flows.sum_condition", { count: Array.isArray(node.cases) ? node.cases.length : 0 });
  if (node.type === "http") return `${node.method ?? "GET"} ${String(node.url ?? "").replace(/^https?:\/\//, "")}`;
  if (node.type === "set") {
    const contact = Object.entries(node.contact ?? {}).map(([name, value]) => [`contact.${name}`, value]);
    const values = [...Object.entries(node.set ?? {}), ...contact].map(([name, value]) => (value === "" ? t("flows.sum_remove", { name }) : `${name} = ${value}`));
    return [...values, ...(Array.isArray(node.tags) ? node.tags.map((tag) => `#${tag}`) : [])].join(", ");
  }
  if (node.type === "wait") return typeof node.seconds === "number" ? t("flows.sum_wait", { time: durationText(node.seconds) }) : "";
  const text = textIn(node.text, languages);
  if (text) return text;
  if (node.type === "hand-over") return node.team ? t("flows.sum_team", { team: node.team }) : t("flows.sum_agents");
  return node.type === "close" ? t("flows.sum_close") : "";
}
