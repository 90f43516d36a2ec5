// The kinds of nodes: their icons, the fields that each of them has, and a node to begin with. The schema gives all kinds one type;
// the check of the server alone decides whether a node is right.
import { t } from "#app/i18n.js";

/** @typedef {{icon: string, fields: string[], needed: string[]}} Kind */

/** Fields in the order of the form. Ways out are shown behind the other fields. @type {Record<string, Kind>} */
export const KINDS = {
  message: { icon: "chat", fields: ["text", "media"], needed: ["text"] },
  menu: { icon: "list", fields: ["text", "options", "label", "save", "retry", "attempts"], needed: ["text", "options"] },
  question: { icon: "face", fields: ["text", "save", "accept", "retry", "attempts"], needed: ["text", "save"] },
  condition: { icon: "merge", fields: ["cases"], needed: ["cases"] },
  http: { icon: "globe", fields: ["method", "url", "headers", "body", "map", "statuses", "timeoutMs"], needed: ["url"] },
  set: { icon: "tag", fields: ["set", "contact", "tags"], needed: [] },
  wait: { icon: "clock", fields: ["seconds"], needed: ["seconds"] },
  "hand-over": { icon: "headset", fields: ["text", "team", "note"], needed: [] },
  close: { icon: "check", fields: ["text"], needed: [] },
};

/** Kinds at which a conversation waits for the customer. */
const ASKING = new Set(["menu", "question"]);

/** @param {string | undefined} kind */
export function asks(kind) {
  return ASKING.has(kind ?? "");
}

/** @param {string | undefined} kind */
export function ends(kind) {
  return kind === "hand-over" || kind === "close";
}

/** @param {string} kind */
export function iconOf(kind) {
  return KINDS[kind]?.icon ?? "warning";
}

/** @param {string} kind */
export function kindName(kind) {
  return kind in KINDS ? t(`flows.kind_${kind}`) : kind;
}

/** A text in every language of the flow. @param {string} text @param {string[] | undefined} languages */
function inAll(text, languages) {
  return languages?.length ? Object.fromEntries(languages.map((code) => [code, text])) : text;
}

/** A node that has all that its kind needs, apart from ways. @param {string} kind @param {string[]} [languages] @returns {import("./model.js").FlowNode} */
export function blankNode(kind, languages) {
  const text = inAll(t(`flows.text_${kind}`), languages);
  switch (kind) {
    case "menu":
      return { type: kind, text, options: ["yes", "no"].map((id) => ({ id, title: inAll(t(`flows.option_${id}`), languages) })) };
    case "question":
      return { type: kind, text, save: "answer" };
    case "condition":
      return { type: kind, cases: [{ attribute: "name", exists: true }] };
    case "http":
      return { type: kind, url: "https://example.org/" };
    case "set":
      return { type: kind, set: { answer: t("flows.text_set") } };
    case "wait":
      return { type: kind, seconds: 3600 };
    case "hand-over":
      return { type: kind };
    default:
      return { type: kind, text };
  }
}

/** A flow that has no fault. @returns {import("./model.js").Flow} */
export function blankFlow() {
  return { start: "hello", nodes: { hello: { type: "close", text: t("flows.text_close") } } };
}
