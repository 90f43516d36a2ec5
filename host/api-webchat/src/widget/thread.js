/** The messages of the chat, in the order of their numbers, and the unsent ones below them. @param {Wording} text @param {Acts} act */
function thread(text, act) {
  const list = element("ol", {});
  const waiting = element("ol", {});
  const earlier = element("button", { type: "button", class: "plain", hidden: true, text: text("earlier"), onclick: act.earlier });
  const greeting = element("div", { class: "message" }, [bubble(text("greeting"))]);
  const log = element("div", { class: "log", role: "log", "aria-label": text("messages"), "aria-live": "off", tabindex: "0" },
    [earlier, greeting, list, waiting]);
  /** The element for the state of each shown message by its number. Only the visitor's own messages have one. @type {Map<number, HTMLElement | null>} */
  const shown = new Map();
  let seen = false;
  // If the end is visible, it stays visible when the size of something changes.
  let atEnd = true;

  function toEnd() { log.scrollTop = log.scrollHeight; atEnd = true; }
  function stay() { if (atEnd) toEnd(); }
  log.addEventListener("scroll", function () { atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80; });
  log.addEventListener("load", stay, true);
  new ResizeObserver(stay).observe(log);

  /** @param {ChatMessage} message */
  function authorOf(message) {
    if (message.from === "visitor") return text("you");
    return message.author || text(message.from === "bot" ? "bot" : "agent");
  }

  /** Shows a message after those with smaller numbers. @param {ChatMessage} message */
  function put(message) {
    const own = message.from === "visitor";
    const parts = contentOf(message.content, text, function (choice, button) { act.choose(message, choice, button); });
    const time = new Date(message.time);
    const state = own ? element("span", { class: "state" }) : null;
    const meta = element("div", { class: "meta" }, [
      element("span", { text: authorOf(message) + " \u00b7 " }),
      element("time", { datetime: message.time, text: time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) }),
      state,
    ]);
    const item = element("li", { class: own ? "message own" : "message" }, [quoted(message.quotes), ...parts, meta]);
    item.dataset.sequence = String(message.sequence);
    let after = list.lastElementChild;
    while (after instanceof HTMLElement && Number(after.dataset.sequence) > message.sequence) after = after.previousElementSibling;
    if (after) after.after(item); else list.prepend(item);
    shown.set(message.sequence, state);
  }

  /** Returns those that were not shown before. @param {ChatMessage[]} messages */
  function add(messages) {
    /** @type {ChatMessage[]} */
    const fresh = [];
    for (const message of messages) {
      if (shown.has(message.sequence)) continue;
      put(message);
      fresh.push(message);
    }
    greeting.hidden = shown.size > 0;
    tell();
    stay();
    return fresh;
  }

  // Shows the state of the visitor's own messages, below the last one.
  function tell() {
    let last = 0;
    /** @type {HTMLElement | null} */
    let newest = null;
    for (const [sequence, state] of shown) {
      if (!state) continue;
      state.textContent = "";
      if (sequence > last) { last = sequence; newest = state; }
    }
    if (newest) newest.textContent = " \u00b7 " + text(seen ? "seen" : "delivered");
  }

  return {
    root: log,
    add: add,
    toEnd: toEnd,
    clear: function () { shown.clear(); list.textContent = ""; greeting.hidden = false; },
    first: function () { return shown.size ? Math.min.apply(null, Array.from(shown.keys())) : 0; },
    /** @param {boolean} more */
    more: function (more) { earlier.hidden = !more; },
    /** @param {boolean} now */
    seen: function (now) { seen = now; tell(); },
    author: authorOf,
    /** @param {OutboxItem[]} items */
    showWaiting: function (items) {
      waiting.textContent = "";
      for (const one of items) {
        const state = one.failed ? text("failed", { reason: one.failed }) : text("sending");
        waiting.append(element("li", { class: "message own" }, [
          bubble(one.shown),
          element("div", { class: one.failed ? "meta alarm" : "meta", text: state }),
          one.failed ? element("button", { type: "button", class: "plain", text: text("retry"), onclick: function () { act.retry(one.frame.key); } }) : null,
        ]));
      }
      if (items.length) greeting.hidden = true;
      stay();
    },
  };
}
