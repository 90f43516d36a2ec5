// The send that is prepared. It stays in this tab while the viewer looks at other pages.

/**
 * `shape`: the template and the columns for which the mapping was made.
 * @typedef {{sender: string, template: import("../inbox/templates.js").Template | null, text: string, fileName: string, header: boolean | null,
 *   mapping: import("./plan.js").Mapping | null, fallback: boolean, shape: string}} SendDraft
 */

/** @type {SendDraft} */
const EMPTY = { sender: "", template: null, text: "", fileName: "", header: null, mapping: null, fallback: false, shape: "" };
let draft = EMPTY;

export function draftSend() {
  return draft;
}

/** @param {SendDraft} next */
export function keepSend(next) {
  draft = next;
}

export function dropSend() {
  draft = EMPTY;
}
