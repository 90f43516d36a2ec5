/**
 * The chat of a page from its first session on: its launcher, its window, and what they show of the frames.
 * @param {Session} session @param {{kept: Store, host: HTMLElement, box: Outbox, link: Connection}} parts
 */
function chatOf(session, { kept, host, box, link }) {
  /** @type {ChatState | null} */
  let chat = null;
  let online = false;
  let open = false;
  /** @type {ReturnType<typeof formOf> | null} */
  let form = null;
  let newest = 0;
  let unread = 0;
  let typed = 0;
  let told = { delivered: 0, read: 0 };
  const rated = new Set();

  const shell = shellOf(session.site, host, {
    close: function () { show(false); },
    text: function (words) { box.add({ type: "text", text: words }, words); view.log.toEnd(); },
    file: send,
    retry: function (key) { box.retry(key); },
    earlier: function () { link.say({ type: "history", before: view.log.first() }); },
    types: function () {
      if (Date.now() - typed > 3000 && link.say({ type: "typing" })) typed = Date.now();
    },
    choose: choose,
  }, function () { show(!open); });
  const { text, view, badge, launcher } = shell;

  /** @param {ChatMessage} message @param {Choice} choice @param {HTMLButtonElement} button */
  function choose(message, choice, button) {
    if (message.content.kind === "rating") {
      if (rated.has(message.id)) return;
      rated.add(message.id);
      const offered = button.parentElement ? button.parentElement.querySelectorAll("button") : [];
      for (const other of offered) other.disabled = true;
      view.announce(text("rated"));
    }
    box.add({ type: "tap", message: message.id, choice: choice.id }, choice.title);
    view.log.toEnd();
  }

  function follow() {
    view.log.showWaiting(box.all());
    window.addEventListener("storage", function (event) {
      // Another tab has changed the outbox.
      if (event.key === kept.prefix + "outbox") view.log.showWaiting(box.all());
    });
    document.addEventListener("visibilitychange", progress);
  }

  // Forgets the shown messages. The server sends all of them again.
  function clear() {
    view.log.clear();
    newest = 0;
    told = { delivered: 0, read: 0 };
  }

  function askFirst() {
    const asked = session.site.form;
    if (!session.formDue || !asked) { view.answered(); form = null; return; }
    if (form) return;
    form = view.ask(asked, function (answers) {
      const shown = asked.fields.filter(function (field) { return answers[field.key]; })
        .map(function (field) { return field.label + ": " + answers[field.key]; }).join("\n");
      box.add({ type: "form", answers: answers }, shown);
    });
  }

  /** @param {File} file */
  async function send(file) {
    if (file.size > session.maxFileBytes) { view.status(text("fileTooLarge")); return; }
    view.status(text("sending"));
    try {
      const stored = await link.upload(file);
      box.add({ type: "file", file: stored.file }, file.name);
      stand();
    } catch (failed) {
      view.status(text("fileRefused", { reason: failed instanceof Error ? failed.message : String(failed) }));
    }
  }

  /** @param {ServerFrame} frame */
  function hear(frame) {
    if (frame.type === "ready") {
      if (!frame.resumed) clear();
      chat = frame.chat;
      stand();
    } else if (frame.type === "messages") {
      come(frame.items, frame.more);
    } else if (frame.type === "history") {
      view.log.add(frame.items);
      view.log.more(frame.more);
    } else if (frame.type === "state") {
      const before = chat;
      chat = frame.chat;
      stand();
      if (chat.agent && (!before || before.agent !== chat.agent)) view.announce(text("agentJoined", { name: chat.agent }));
    } else if (frame.type === "typing") {
      view.typing((chat && chat.agent) || text("agent"));
    } else if (frame.type === "taken") {
      if (form && hasAnswers(frame.key)) {
        session.formDue = false;
        form = null;
        view.answered();
      }
      box.taken(frame.key);
    } else if (frame.type === "refused" && frame.key) {
      refuse(frame.key, frame);
    }
  }

  /** True if the post with this key has the answers to the form. @param {string} key */
  function hasAnswers(key) {
    return box.all().some(function (item) { return item.frame.key === key && item.frame.type === "form"; });
  }

  /** @param {string} key @param {RefusedFrame} frame */
  function refuse(key, frame) {
    const passing = frame.status === 429 || frame.status >= 500;
    const wait = passing ? Math.max(1, frame.retryAfter || 2) * 1000 : 0;
    if (passing) view.status(frame.status === 429 ? text("tooFast") : text("reconnecting"));
    const reason = frame.details && frame.details.length ? frame.details.map(function (one) { return one.message; }).join(", ") : frame.message;
    if (form && !passing && hasAnswers(key)) {
      form.trouble(reason);
      box.taken(key);
      return;
    }
    box.refused(key, reason, wait);
  }

  /** @param {ChatMessage[]} items @param {boolean} more */
  function come(items, more) {
    const before = newest;
    for (const message of items) {
      newest = Math.max(newest, message.sequence);
      if (message.key) box.taken(message.key);
    }
    const fresh = view.log.add(items);
    if (before === 0) view.log.more(more);
    const others = fresh.filter(function (message) { return message.from !== "visitor"; });
    if (others.length) {
      view.quiet();
      if (!open && (before > 0 || newest > (kept.read("seen") || 0))) unread += others.length;
      const last = others[others.length - 1];
      view.announce(view.log.author(last) + ": " + spoken(last.content, text));
    }
    count();
    progress();
  }

  function count() {
    badge.hidden = open || unread === 0;
    badge.textContent = unread > 99 ? "99+" : String(unread);
    launcher.setAttribute("aria-label", unread && !open ? text("launcher") + ", " + text("newMessages", { count: unread }) : text("launcher"));
  }

  // Reports the last messages that arrived and that were read.
  function progress() {
    const visible = open && document.visibilityState === "visible";
    const read = visible ? newest : told.read;
    if (newest <= told.delivered && read <= told.read) return;
    if (link.say({ type: "progress", delivered: newest, read: read })) {
      told = { delivered: newest, read: read };
      if (visible) kept.write("seen", newest);
    }
  }

  function stand() {
    if (!online) { view.status(navigator.onLine === false ? text("offline") : text("reconnecting")); return; }
    if (!chat) { view.status(""); return; }
    view.log.seen(Boolean(chat.seen));
    view.status(standing(chat, text));
  }

  /** @param {boolean} wanted */
  function show(wanted) {
    if (open === wanted) return;
    open = wanted;
    shell.show(open);
    if (open) {
      unread = 0;
      view.log.toEnd();
      view.focus();
    } else {
      launcher.focus();
    }
    count();
    progress();
  }

  follow();
  askFirst();
  return {
    hear: hear,
    show: show,
    waits: function () { view.log.showWaiting(box.all()); },
    position: function () { return { chat: chat ? chat.chat : undefined, after: newest }; },
    /** @param {boolean} now */
    online: function (now) { online = now; stand(); },
    /** @param {Session} began */
    session: function (began) {
      const same = session.visitor === began.visitor;
      session = began;
      if (!same) { chat = null; clear(); }
      askFirst();
    },
  };
}
