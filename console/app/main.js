// The start of the console.
import { html } from "htm/preact";
import { render } from "preact";
import { Entrance } from "#app/entrance.js";
import { loadLanguage } from "#app/i18n.js";
import { linkToken } from "#app/link.js";
import { followSession } from "#app/live.js";
import { match, path } from "#app/router.js";
import { loadPage } from "#app/page.js";
import { pagesOf } from "#app/routes.js";
import { resume, session, viewer } from "#app/session.js";
import { Shell } from "#app/shell.js";

function Console() {
  // A login into another account begins with a page of its own.
  return session.value && !linkToken.value ? html`<${Shell} key=${`${session.value.clientRef} ${session.value.user.id}`} />` : html`<${Entrance} />`;
}

resume();
followSession();
// The module of the page is fetched while the language is.
const first = pagesOf(viewer.value?.role ?? "").find((page) => match(page.path, path.value));
if (first) loadPage(first).catch(() => {});
await loadLanguage();
const root = document.getElementById("console");
if (root) {
  // The mark is there until the modules are.
  root.replaceChildren();
  render(html`<${Console} />`, root);
}
