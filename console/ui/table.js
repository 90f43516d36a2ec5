// Tables with pages, as the lists of the API return them.
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button } from "#ui/controls.js";

/**
 * @template Row
 * @typedef {{key: string, title: string, cell: (row: Row) => any, end?: boolean, hideTitle?: boolean}} Column
 */

/**
 * A table. If `onOpen` is given, the first cell of a row is a button that opens it, and a click anywhere in the row does the same.
 * @param {{label: string, columns: Column<any>[], rows: any[], rowKey?: (row: any) => string, onOpen?: (row: any) => void, selected?: string}} props
 */
export function Table({ label, columns, rows, rowKey = (row) => row.id, onOpen, selected }) {
  return html`<div class="table-box" tabindex="0" role="region" aria-label=${label}><table class="table">
    <thead><tr>${columns.map((column) => html`<th key=${column.key} scope="col" class=${column.end ? "end" : ""}>
      ${column.hideTitle ? html`<span class="hidden-text">${column.title}</span>` : column.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${rowKey(row)} aria-selected=${selected === rowKey(row) ? "true" : undefined} onClick=${(/** @type {any} */ event) => opens(event) && onOpen?.(row)}>
      ${columns.map((column, index) => html`<td key=${column.key} class=${column.end ? "end number" : ""}>
        ${index === 0 && onOpen ? html`<button type="button" class="cell-link" onClick=${() => onOpen(row)}>${column.cell(row)}</button>` : column.cell(row)}</td>`)}
    </tr>`)}</tbody></table></div>`;
}

/** A click on a control inside the row is for that control. @param {any} event */
function opens(event) {
  return !event.target.closest("button, a, input, select, label");
}

/**
 * Goes back to a page with rows if the rows of the present one are gone, for example because the last one was deleted.
 * @param {{content: any[], number: number, totalPages: number} | undefined} found
 * @param {(page: number) => void} onPage
 */
export function useFilledPage(found, onPage) {
  const beyond = found && found.content.length === 0 && found.number > 0 ? found.number : 0;
  useEffect(() => {
    if (found && beyond) onPage(Math.max(0, Math.min(beyond, found.totalPages) - 1));
  }, [beyond]);
}

/** @param {{page: {number: number, totalPages: number, totalElements: number, first: boolean, last: boolean}, onPage: (page: number) => void}} props */
export function Pager({ page, onPage }) {
  if (page.first && page.last) return null;
  return html`<nav class="pager" aria-label=${t("common.pages")}>
    <span class="number">${t("common.pageOf", { page: page.number + 1, pages: page.totalPages })}</span>
    <${Button} kind="small" icon="chevronLeft" label=${t("common.previous")} disabled=${page.first} onClick=${() => onPage(page.number - 1)} />
    <${Button} kind="small" icon="chevronRight" label=${t("common.next")} disabled=${page.last} onClick=${() => onPage(page.number + 1)} />
  </nav>`;
}
