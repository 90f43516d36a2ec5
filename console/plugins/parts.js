// Pieces that the pages of plugins share: figures, code, faults in a form.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Icon } from "#ui/icons.js";
import { Tag } from "#ui/controls.js";
import { failed } from "./facts.js";

/** @param {{mode: string, percent?: number}} props */
export function ModeTag({ mode, percent }) {
  const tone = mode === "live" ? "success" : mode === "canary" ? "warning" : "info";
  return html`<${Tag} tone=${tone}>${t(`plugins.mode_${mode}`)}${mode === "canary" && percent !== undefined ? ` ${percent} %` : ""}<//>`;
}

/** @param {{outcome: string}} props */
export function OutcomeTag({ outcome }) {
  return html`<${Tag} tone=${failed(outcome) ? "danger" : ""}>${t(`plugins.outcome_${outcome}`)}<//>`;
}

/** A value as indented JSON. @param {{value: any, label?: string}} props */
export function Code({ value, label }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return html`<pre class="plugin-code" tabindex="0" role="region" aria-label=${label ?? "JSON"}>${text}</pre>`;
}

/** Two texts side by side; lines that only one side has are marked. @param {{left: any, right: any, leftTitle: string, rightTitle: string}} props */
export function Compare({ left, right, leftTitle, rightTitle }) {
  const [before, after] = [linesOf(left), linesOf(right)];
  const same = common(before.map(bare), after.map(bare));
  const side = (/** @type {string} */ title, /** @type {string[]} */ lines, /** @type {Set<number>} */ kept) => html`<div class="compare-side">
    <p class="small soft">${title}</p>
    <pre class="plugin-code" tabindex="0" role="region" aria-label=${title}>${lines.map((line, index) => html`<span key=${index} class=${kept.has(index) ? "" : "differs"}>${kept.has(index) ? "" : html`<span class="hidden-text">${t("plugins.differs")} </span>`}${line}${"\n"}</span>`)}</pre></div>`;
  return html`<div class="compare">${side(leftTitle, before, same.left)}${side(rightTitle, after, same.right)}</div>`;
}

/** A line without the comma that only says that another one follows. @param {string} line */
function bare(line) {
  return line.replace(/,$/, "");
}

/** @param {any} value @returns {string[]} */
function linesOf(value) {
  return (JSON.stringify(ordered(value), null, 2) ?? "").split("\n");
}

/** The same value with its names in order, so that two of them can be compared by lines. @param {any} value @returns {any} */
function ordered(value) {
  if (Array.isArray(value)) return value.map(ordered);
  if (value && typeof value === "object") return Object.fromEntries(Object.keys(value).sort().map((key) => [key, ordered(value[key])]));
  return value;
}

const MOST_LINES = 800;

/** The lines that both have, in order: the longest common subsequence. @param {string[]} before @param {string[]} after */
function common(before, after) {
  const left = new Set();
  const right = new Set();
  if (before.length > MOST_LINES || after.length > MOST_LINES) {
    before.forEach((line, index) => after[index] === line && (left.add(index), right.add(index)));
    return { left, right };
  }
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      lengths[at] = before[row] === after[column] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  for (let row = 0, column = 0; row < before.length && column < after.length;) {
    if (before[row] === after[column]) (left.add(row), right.add(column), (row += 1), (column += 1));
    else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]) row += 1;
    else column += 1;
  }
  return { left, right };
}

/** @param {{title: string, value: any, hint?: any, tone?: string}} props */
export function Figure({ title, value, hint, tone = "" }) {
  return html`<div class=${`figure-box ${tone}`}><span class="small soft">${title}</span><span class="figure-value number">${value}</span>${hint && html`<span class="tiny soft">${hint}</span>`}</div>`;
}

/** @param {{icon?: string, tone?: string, children?: any}} props */
export function Notice({ icon = "info", tone = "", children }) {
  return html`<div class=${`banner rounded ${tone}`}><${Icon} name=${icon} /><div class="grow">${children}</div></div>`;
}
