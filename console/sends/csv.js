// Tables from pasted text and from CSV files (RFC 4180), with comma, semicolon or tab.

/** @param {string} text */
function delimiterOf(text) {
  const first = text.slice(0, 4000).split(/\r?\n/, 1)[0];
  const counts = [",", ";", "\t"].map((one) => ({ one, count: first.split(one).length }));
  return counts.sort((one, other) => other.count - one.count)[0].one;
}

/** The rows of a text. Empty rows are left out. @param {string} text @returns {string[][]} */
export function parse(text) {
  const source = text.replace(/^\uFEFF/, "");
  const delimiter = delimiterOf(source);
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let cell = "";
  let quoted = false;
  const endRow = () => {
    row.push(cell.trim());
    cell = "";
    if (row.some(Boolean)) rows.push(row);
    row = [];
  };
  for (let at = 0; at < source.length; at += 1) {
    const letter = source[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (source[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"' && !cell.trim()) {
      quoted = true;
      cell = "";
    } else if (letter === delimiter) {
      row.push(cell.trim());
      cell = "";
    } else if (letter === "\n") endRow();
    else if (letter !== "\r") cell += letter;
  }
  endRow();
  return rows;
}

const NUMBER = /^\+?[1-9]\d{6,14}$/;
const USER_ID = /^[A-Z]{2}\.\w+$/;

/** A recipient without the blanks that people write, or nothing if it cannot be one. @param {string} text */
export function recipient(text) {
  const plain = text.replace(/[\s().-]/g, "");
  if (NUMBER.test(plain)) return plain;
  return USER_ID.test(text.trim()) ? text.trim() : "";
}

/** Whether the first row names the columns: it has no recipient. @param {string[][]} rows */
export function hasHeader(rows) {
  return rows.length > 0 && !rows[0].some((cell) => recipient(cell));
}

/** A cell for a CSV file. A sign in front keeps spreadsheet programs from taking it as a formula. @param {string} text */
function cellOf(text) {
  const safe = /^[=@\t]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {string[][]} rows */
export function written(rows) {
  return rows.map((row) => row.map(cellOf).join(",")).join("\r\n");
}
