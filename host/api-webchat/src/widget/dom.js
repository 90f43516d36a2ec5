/**
 * Makes an element. Text is always set as text, never as HTML.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name @param {Properties} properties @param {(Node | null)[]} [children]
 */
function element(name, properties, children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") made.textContent = String(value);
    else if (key === "class") made.className = String(value);
    else if (typeof value === "function") made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children || []) if (child) made.append(child);
  return made;
}

/** A drawing that screen readers ignore. @param {string} path */
function icon(path) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.setAttribute("focusable", "false");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  drawing.append(line);
  return drawing;
}

const ICONS = {
  chat: "M4 3h16a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H9l-5 4v-4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2z",
  send: "M3 20V4l18 8zm2-3.1L16.2 12 5 7.1v3.6L10 12l-5 1.3z",
  close: "M6.4 5 5 6.4 10.6 12 5 17.6 6.4 19 12 13.4 17.6 19 19 17.6 13.4 12 19 6.4 17.6 5 12 10.6z",
  clip: "M7 17V7a5 5 0 0 1 10 0v9a3 3 0 0 1-6 0V8h2v8a1 1 0 0 0 2 0V7a3 3 0 0 0-6 0v10a5 5 0 0 0 10 0V8h2v9a7 7 0 0 1-14 0z",
};

/** Only http and https addresses are links. @param {string | null | undefined} address */
function safeAddress(address) {
  return typeof address === "string" && /^https?:\/\//i.test(address) ? address : null;
}
