// The messages of the chat, in the order of their numbers, and the unsent ones below them.
function thread(text, act) {
  const list = element("ol", {});
  const waiting = element("ol", {});
  const earlier = element("button", { type: "button", class: "plain", hidden: true, text: text("earlier"), onclick: act.earlier });
  const greeting = element("div", { class: "message" }, [bubble(text("greeting"))]);
  const log = element("div", { class: "log", role: "log", "aria-label": text("messages"), "aria-live": "off", tabindex: "0" },
    [earlier, greeting, list, waiting]);
  const shown = new Map();
  let seen = false;
  // If the end is visible, it stays visible when the size of something changes.
  let atEnd = true;

  function toEnd() { log.scrollTop = log.scrollHeight; atEnd = true; }
  function stay() { if (atEnd) toEnd(); }
  log.addEventListener("scroll", function () { atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80; });
  log.addEventListener("load", stay, true);
  new ResizeObserver(stay).observe(log);

  function authorOf(message) {
    if (message.from === "visitor") return text("you");
    return message.author || text(message.from === "bot" ? "bot" : "agent");
  }

  function item(message) {
    const own = message.from === "visitor";
    const parts = contentOf(message.content, text, function (choice, button) { act.choose(message, choice, button); });
    const time = new Date(message.time);
    const meta = element("div", { class: "meta" }, [
      element("span", { text: authorOf(message) + " \u00b7 " }),
      element("time", { datetime: message.time, text: time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) }),
      own ? element("span", { class: "state" }) : null,
    ]);
    const made = element("li", { class: own ? "message own" : "message" }, [quoted(message.quotes)].concat(parts, [meta]));
    made.dataset.sequence = message.sequence;
    return made;
  }

  function add(messages) {
    const fresh = [];
    for (const message of messages) {
      if (shown.has(message.sequence)) continue;
      const made = item(message);
      shown.set(message.sequence, { message: message, item: made });
      let after = list.lastElementChild;
      while (after && Number(after.dataset.sequence) > message.sequence) after = after.previousElementSibling;
      if (after) after.after(made); else list.prepend(made);
      fresh.push(message);
    }
    greeting.hidden = shown.size > 0;
    tell();
    stay();
    return fresh;
  }

  // Shows the state of the visitor's own messages, below the last one.
  function tell() {
    let last = null;
    for (const one of shown.values()) {
      if (one.message.from !== "visitor") continue;
      one.item.querySelector(".state").textContent = "";
      if (!last || one.message.sequence > last.message.sequence) last = one;
    }
    if (last) last.item.querySelector(".state").textContent = " \u00b7 " + text(seen ? "seen" : "delivered");
  }

  return {
    root: log,
    add: add,
    toEnd: toEnd,
    clear: function () { shown.clear(); list.textContent = ""; greeting.hidden = false; },
    first: function () { return shown.size ? Math.min.apply(null, Array.from(shown.keys())) : 0; },
    more: function (more) { earlier.hidden = !more; },
    seen: function (now) { seen = now; tell(); },
    author: authorOf,
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
