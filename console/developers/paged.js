// A table of a list of the API, page by page.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { useLoad, useRefresh } from "#app/load.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, Table, useFilledPage } from "#ui/table.js";

/**
 * `turn` loads the list again when it changes, `every` after so many milliseconds.
 * @param {{label: string, path: string, query?: import("#app/api.js").Query, columns: import("#ui/table.js").Column<any>[], empty: {icon: string, title: string, text?: string},
 *   rowKey?: (row: any) => string, onOpen?: (row: any) => void, selected?: string, turn?: number, every?: number, size?: number}} props
 */
export function PagedTable({ label, path, query = {}, columns, empty, rowKey, onOpen, selected, turn = 0, every = 0, size = 25 }) {
  const asked = JSON.stringify([path, query]);
  const [place, setPlace] = useState({ asked, page: 0 });
  // Another list begins with its first page.
  const page = place.asked === asked ? place.page : 0;
  const setPage = (/** @type {number} */ to) => setPlace({ asked, page: to });
  const load = useLoad((signal) => api.get(path, { ...query, page, size }, { signal }), [asked, page]);
  useFilledPage(load.data, setPage);
  useRefresh(load, every);
  useEffect(() => {
    if (turn) load.reload();
  }, [turn]);
  return html`<${Loaded} load=${load}>${(/** @type {any} */ found) => found.content.length
    ? html`<${Table} label=${label} columns=${columns} rows=${found.content} rowKey=${rowKey} onOpen=${onOpen} selected=${selected} /><${Pager} page=${found} onPage=${setPage} />`
    : html`<${Empty} icon=${empty.icon} title=${empty.title}>${empty.text && html`<p>${empty.text}</p>`}<//>`}<//>`;
}
