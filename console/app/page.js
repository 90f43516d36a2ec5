// The page of the present path: found in the table, loaded with its styles, and shown.
import { html } from "htm/preact";
import { Component } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { go, match, path } from "#app/router.js";
import { pagesOf } from "#app/routes.js";
import { viewer } from "#app/session.js";
import { Button } from "#ui/controls.js";
import { Empty, Fault, SkeletonList } from "#ui/states.js";

const TOP = new URL("../", import.meta.url);
/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/** Adds a style sheet once, and resolves when it is in force. @param {string} file */
function addSheet(file) {
  let added = sheets.get(file);
  if (!added) {
    added = new Promise((resolve) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = new URL(file, TOP).href;
      link.onload = link.onerror = () => resolve();
      document.head.append(link);
    });
    sheets.set(file, added);
  }
  return added;
}

/** Loads a page with its styles. @param {import("#app/routes.js").Page} page */
export async function loadPage(page) {
  const [module] = await Promise.all([page.load(), ...(page.styles ?? []).map(addSheet)]);
  return module.default;
}

export function CurrentPage() {
  const pages = pagesOf(viewer.value?.role ?? "");
  const asked = path.value;
  useEffect(() => {
    if (asked === "/" && pages.length) go(pages[0].to, { replace: true });
  }, [asked]);
  for (const page of pages) {
    const values = match(page.path, asked);
    if (values) return html`<${Boundary} key=${page.path}><${LoadedPage} page=${page} values=${values} /><//>`;
  }
  if (asked === "/" && pages.length) return null;
  return html`<${Empty} icon="search" title=${pages.length ? t("shell.noSuchPage") : t("shell.noPages")} fill=${true}>
    ${pages.length > 0 && html`<${Button} onClick=${() => go(pages[0].to)}>${t("shell.toStart")}<//>`}<//>`;
}

/** @param {{page: import("#app/routes.js").Page, values: Record<string, string>}} props */
function LoadedPage({ page, values }) {
  const [state, setState] = useState(/** @type {{view?: any, error?: unknown}} */ ({}));
  const title = t(page.title);
  const load = () => loadPage(page).then((view) => setState({ view }), (error) => setState({ error }));
  useEffect(() => void load(), []);
  useEffect(() => {
    document.title = `${title} · Patchbay`;
  }, [title]);
  if (state.error) return html`<div class="page-body"><${Fault} error=${state.error} retry=${load} /></div>`;
  if (!state.view) return html`<${SkeletonList} />`;
  return html`<${state.view} ...${values} />`;
}

/** Shows a fault of our own code in place of the page that has it. */
class Boundary extends Component {
  /** @param {unknown} error */
  componentDidCatch(error) {
    console.error(error);
    this.setState({ error });
  }

  render() {
    const { error } = /** @type {any} */ (this.state);
    if (error) return html`<div class="page-body"><${Fault} error=${error} retry=${() => this.setState({ error: null })} /></div>`;
    return this.props.children;
  }
}
