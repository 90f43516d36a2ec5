// Flows that are not activated yet, kept for this tab and this user, without their secrets. Places of cards, kept in this browser, because
// the schema of flows has no room for them.
import { session, viewer } from "#app/session.js";

const STORED = "patchbay.flows";
const PLACES = "patchbay.flow-places";
/** Flows whose places are kept. */
const MOST_FLOWS = 40;

/** @typedef {import("./history.js").Drawing} Drawing */

/** @returns {Record<string, Drawing>} */
function read() {
  try {
    const { user, flows } = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
    return user === viewer.peek()?.id ? (flows ?? {}) : {};
  } catch {
    return {};
  }
}

/** @param {string} key @returns {Drawing | undefined} */
export function draftOf(key) {
  return read()[key];
}

/** The keys of all drafts. */
export function draftKeys() {
  return Object.keys(read());
}

/** @param {string} key @param {Drawing | undefined} drawing */
export function keepDraft(key, drawing) {
  const { [key]: before, ...others } = read();
  if (!before && !drawing) return;
  const flows = drawing ? { ...others, [key]: { ...drawing, flow: { ...drawing.flow, secrets: undefined } } } : others;
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ user: viewer.peek()?.id, flows }));
  } catch {
    // A flow that does not fit lives as long as the page.
  }
}

/** @returns {Record<string, import("./layout.js").Positions>} */
function readPlaces() {
  try {
    return JSON.parse(localStorage.getItem(PLACES) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {string} key */
function placesKey(key) {
  return `${session.peek()?.clientRef} ${key}`;
}

/** The places of the cards of a flow in force that were moved by hand. @param {string} key @returns {import("./layout.js").Positions} */
export function keptPlaces(key) {
  return readPlaces()[placesKey(key)] ?? {};
}

/** @param {string} key @param {import("./layout.js").Positions} places */
export function keepPlaces(key, places) {
  const { [placesKey(key)]: before, ...others } = readPlaces();
  const any = Object.keys(places).length > 0;
  if (!before && !any) return;
  const kept = Object.entries(any ? { ...others, [placesKey(key)]: places } : others).slice(-MOST_FLOWS);
  try {
    localStorage.setItem(PLACES, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Without room in the browser, the cards have the places of the layout.
  }
}
