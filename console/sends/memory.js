// The mappings of former sends, by the template and the names of the columns. They are kept in the browser and have no values of recipients.
import { session } from "#app/session.js";

/** @typedef {import("./plan.js").Mapping} Mapping */
/** @typedef {{place: string, mapping: Mapping}} FormerMapping */

const STORED = "patchbay.mappings";
const MOST = 50;

/** @returns {FormerMapping[]} */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** @param {string} template @param {string[]} names */
function placeOf(template, names) {
  return JSON.stringify([session.peek()?.clientRef, template, names]);
}

/** The mapping of the last send with this template and these columns. @param {string} template its id @param {string[]} names @returns {Mapping | null} */
export function recall(template, names) {
  if (!names.length) return null;
  const place = placeOf(template, names);
  return read().find((one) => one.place === place)?.mapping ?? null;
}

/** The addresses of files are those of one send. @param {Mapping} mapping @returns {Mapping} */
function withoutFiles(mapping) {
  const values = Object.fromEntries(Object.entries(mapping.values).map(([key, source]) => [key, /^card-\d+-file$/.test(key) && "text" in source ? { ...source, text: "" } : source]));
  return { ...mapping, values, fileUrl: "" };
}

/** Keeps a mapping for the next send, without the addresses of files. @param {string} template its id @param {string[]} names @param {Mapping} mapping */
export function remember(template, names, mapping) {
  if (!names.length) return;
  const place = placeOf(template, names);
  const kept = [{ place, mapping: withoutFiles(mapping) }, ...read().filter((one) => one.place !== place)].slice(0, MOST);
  try {
    localStorage.setItem(STORED, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing begins with a guess.
  }
}
