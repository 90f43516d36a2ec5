// A figure with its name, in a `dl` of the class `tiles`.
import { html } from "htm/preact";

/** @param {{title: string, value: any, tone?: string}} props */
export function Tile({ title, value, tone = "" }) {
  return html`<div class=${`tile ${tone}`}><dt>${title}</dt><dd class="number">${value}</dd></div>`;
}
