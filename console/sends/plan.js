// A send before it is sent: rows, the mapping of columns to parameters, and the faults of each row.
import { componentsOf, placeholders } from "../inbox/templates.js";
import { recipient } from "./csv.js";

/** @typedef {import("../inbox/templates.js").Template} Template */
/** A parameter takes its value from a column or has a fixed text. @typedef {{column: number} | {text: string}} Source */
/** @typedef {{to: Source, ctId: Source | null, values: Record<string, Source>, fileUrl: string}} Mapping */
/** `rejected`: by the server, for a reason. `value`: a placeholder has none. @typedef {{kind: "number" | "twice"} | {kind: "rejected", reason: string} | {kind: "value", of: import("../inbox/templates.js").Placeholder}} RowFault */
/** @typedef {{line: number, to: string, ctId: string, values: Record<string, string>, faults: RowFault[], cells: string[]}} PlannedRow */

/** The most recipients of one request. */
export const MOST_PER_REQUEST = 1000;
const NUMBER_NAMES = /^(to|number|phone|msisdn|mobile|cell|telefon|nummer|handy|whatsapp)/i;
const ID_NAMES = [/^ct_?id$/i, /^(id|ref|reference)$/i];

/** The mapping that fits the names of the columns, otherwise their order. @param {Template} template @param {string[]} header @param {string[]} first @returns {Mapping} */
export function guess(template, header, first) {
  const named = header.findIndex((name) => NUMBER_NAMES.test(name.trim()));
  const to = named >= 0 ? named : Math.max(0, first.findIndex((cell) => recipient(cell)));
  const id = Math.max(...ID_NAMES.map((names) => header.findIndex((name, index) => index !== to && names.test(name.trim()))));
  const left = first.map((_, index) => index).filter((index) => index !== to && index !== id);
  /** @type {Record<string, Source>} */
  const values = {};
  for (const asked of placeholders(template)) {
    const same = header.findIndex((name) => name.trim().toLowerCase() === asked.label.toLowerCase());
    const column = same >= 0 ? same : left.shift();
    values[asked.key] = column === undefined ? { text: "" } : { column };
  }
  return { to: { column: to }, ctId: id >= 0 ? { column: id } : null, values, fileUrl: "" };
}

/** @param {Source | null} source @param {string[]} row */
function valueOf(source, row) {
  if (!source) return "";
  return "column" in source ? (row[source.column] ?? "") : source.text;
}

/**
 * Each row with its faults.
 * @param {Template} template
 * @param {string[][]} rows
 * @param {Mapping} mapping
 * @param {number} firstLine
 * @param {Map<string, string>} rejected reasons of the server by recipient
 * @returns {PlannedRow[]}
 */
export function check(template, rows, mapping, firstLine, rejected) {
  const asked = placeholders(template);
  /** @type {Set<string>} */
  const seen = new Set();
  return rows.map((cells, index) => {
    const given = valueOf(mapping.to, cells);
    const to = recipient(given);
    const values = Object.fromEntries(asked.map((one) => [one.key, valueOf(mapping.values[one.key] ?? null, cells)]));
    /** @type {RowFault[]} */
    const faults = asked.filter((one) => !values[one.key]).map((one) => ({ kind: "value", of: one }));
    const same = to.replace(/^\+/, "");
    const reason = rejected.get(to);
    if (!to) faults.unshift({ kind: "number" });
    else if (seen.has(same)) faults.unshift({ kind: "twice" });
    else if (reason !== undefined) faults.unshift({ kind: "rejected", reason });
    seen.add(same);
    return { line: firstLine + index, to: to || given, ctId: valueOf(mapping.ctId, cells), values, faults, cells };
  });
}

/** @param {Template} template @param {PlannedRow} row @param {string} fileUrl */
function message(template, row, fileUrl) {
  const components = componentsOf(template, row.values, fileUrl);
  const address = /^[A-Z]{2}\./.test(row.to) ? { customerUserId: row.to } : { to: row.to };
  return { recipients: [{ ...address, ...(row.ctId ? { ctId: row.ctId } : {}) }], ...(components.length ? { components } : {}) };
}

/**
 * The bodies of the requests. Each has a key of its own, so a repeated request sends nothing twice.
 * @param {Template} template
 * @param {PlannedRow[]} rows
 * @param {{sender: string, fileUrl: string, fallback: boolean}} how
 */
export function requests(template, rows, { sender, fileUrl, fallback }) {
  const bodies = [];
  for (let at = 0; at < rows.length; at += MOST_PER_REQUEST) {
    const messages = rows.slice(at, at + MOST_PER_REQUEST).map((row) => message(template, row, fileUrl));
    const body = { sender, messageType: "NOTIFICATION", templateName: template.name, templateId: template.id, ...(fallback ? { fallback: { sendFallback: true } } : {}), messages };
    bodies.push({ key: crypto.randomUUID(), size: messages.length, body });
  }
  return bodies;
}
