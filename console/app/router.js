// The address bar as the state of the console. Paths are relative to `/console`.
import { computed, signal } from "@preact/signals";
import { html } from "htm/preact";

const BASE = "/console";

function read() {
  const path = location.pathname.slice(BASE.length) || "/";
  return { path: path.length > 1 ? path.replace(/\/$/, "") : path, query: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** @type {import("@preact/signals").Signal<{path: string, query: Record<string, string>}>} */
const place = signal(read());
export const path = computed(() => place.value.path);
export const query = computed(() => place.value.query);

addEventListener("popstate", () => {
  place.value = read();
});

/** The address of a path, for links. @param {string} to @param {Record<string, string | undefined>} [search] */
export function href(to, search) {
  const given = Object.entries(search ?? {}).filter(([, value]) => value);
  const text = new URLSearchParams(/** @type {[string, string][]} */ (given)).toString();
  return BASE + to + (text ? `?${text}` : "");
}

/** Goes to a path. `replace` leaves no step in the history of the browser. @param {string} to @param {{search?: Record<string, string | undefined>, replace?: boolean}} [options] */
export function go(to, { search, replace = false } = {}) {
  const address = href(to, search);
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place.value = read();
}

/** A link within the console. @param {{to: string, search?: Record<string, string | undefined>, children?: any, [other: string]: any}} props */
export function Link({ to, search, children, ...rest }) {
  return html`<a href=${href(to, search)} ...${rest}>${children}</a>`;
}

// Every plain click on a link into the console is a step within the page.
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = /** @type {Element} */ (event.target).closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
  event.preventDefault();
  go(link.pathname.slice(BASE.length) || "/", { search: Object.fromEntries(new URLSearchParams(link.search)) });
});

/** A part of a path as text. An address that was cut in the middle of a letter stays as it is. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The values of a pattern such as `/inbox/:scope/:chat?` in a path, or `null` if it does not fit. A part with `?` may be absent.
 * @param {string} pattern
 * @param {string} asked
 * @returns {Record<string, string> | null}
 */
export function match(pattern, asked) {
  const wanted = pattern.split("/").filter(Boolean);
  const given = asked.split("/").filter(Boolean);
  if (given.length > wanted.length) return null;
  /** @type {Record<string, string>} */
  const values = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index];
    if (!part.startsWith(":")) {
      if (part !== value) return null;
    } else if (value === undefined) {
      if (!part.endsWith("?")) return null;
    } else {
      values[part.slice(1).replace("?", "")] = decoded(value);
    }
  }
  return values;
}
