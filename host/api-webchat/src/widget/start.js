// The script tag: `<script src=".../web-chat/widget.js?site=KEY" async></script>`. Pages may call `Patchbay.open()`, `.close()` and
// `.identify({userId, hash})`.
const tag = document.currentScript || document.querySelector("script[src*='/web-chat/widget.js?site=']");
const address = new URL(tag.src);
const siteKey = address.searchParams.get("site") || "";

function start() {
  if (window.Patchbay && window.Patchbay.site === siteKey) return;
  const kept = store(siteKey);
  let shell = null;
  let text = wording({});
  let view = null;
  let box = null;
  let session = null;
  let chat = null;
  let online = false;
  let open = false;
  let form = null;
  let newest = 0;
  let unread = 0;
  let typed = 0;
  let told = { delivered: 0, read: 0 };
  const rated = new Set();

  const link = connection(address.origin, siteKey, kept, {
    session: function (began) {
      const same = session && session.visitor === began.visitor;
      session = began;
      if (session && !same) { newest = 0; chat = null; told = { delivered: 0, read: 0 }; if (view) view.log.clear(); }
      if (!view) build();
      askFirst();
    },
    position: function () { return { chat: chat ? chat.chat : undefined, after: newest }; },
    open: function () { online = true; stand(); box.flush(); },
    lost: function () { online = false; stand(); },
    refused: function () { online = false; if (shell) shell.host.remove(); },
    frame: hear,
  });

  const act = {
    close: function () { show(false); },
    text: function (words) { box.add({ type: "text", text: words }, words); view.log.toEnd(); },
    file: send,
    retry: function (key) { box.retry(key); },
    earlier: function () { link.say({ type: "history", before: view.log.first() }); },
    types: function () {
      if (Date.now() - typed > 3000 && link.say({ type: "typing" })) typed = Date.now();
    },
    choose: function (message, choice, button) {
      if (message.content.kind === "rating") {
        if (rated.has(message.id)) return;
        rated.add(message.id);
        for (const other of button.parentElement.querySelectorAll("button")) other.disabled = true;
        view.announce(text("rated"));
      }
      box.add({ type: "tap", message: message.id, choice: choice.id }, choice.title);
      view.log.toEnd();
    },
  };

  function build() {
    shell = shellOf(session.site, act, function () { show(!open); });
    text = shell.text;
    view = shell.view;
    box = outbox(kept, function () { return link; }, function () { view.log.showWaiting(box.all()); });
    view.log.showWaiting(box.all());
    window.addEventListener("storage", function (event) {
      // Another tab has changed the outbox.
      if (event.key === kept.prefix + "outbox") view.log.showWaiting(box.all());
    });
    document.addEventListener("visibilitychange", progress);
  }

  function askFirst() {
    if (!session.formDue) { view.answered(); form = null; return; }
    if (!form) {
      form = view.ask(session.site.form, function (answers) {
        const shown = session.site.form.fields.filter(function (field) { return answers[field.key]; })
          .map(function (field) { return field.label + ": " + answers[field.key]; }).join("\n");
        box.add({ type: "form", answers: answers }, shown);
      });
    }
  }

  async function send(file) {
    if (session && file.size > session.maxFileBytes) { view.status(text("fileTooLarge")); return; }
    view.status(text("sending"));
    try {
      const stored = await link.upload(file);
      box.add({ type: "file", file: stored.file }, file.name);
      stand();
    } catch (failed) {
      view.status(text("fileRefused", { reason: failed.message }));
    }
  }

  function hear(frame) {
    if (frame.type === "ready") {
      if (!frame.resumed) { view.log.clear(); newest = 0; told = { delivered: 0, read: 0 }; }
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
      if (form && box.all().some(function (item) { return item.frame.key === frame.key && item.frame.type === "form"; })) {
        session.formDue = false;
        form = null;
        view.answered();
      }
      box.taken(frame.key);
    } else if (frame.type === "refused" && frame.key) {
      refuse(frame);
    }
  }

  function refuse(frame) {
    const passing = frame.status === 429 || frame.status >= 500;
    const wait = passing ? Math.max(1, frame.retryAfter || 2) * 1000 : 0;
    if (passing) view.status(frame.status === 429 ? text("tooFast") : text("reconnecting"));
    const reason = frame.details && frame.details.length ? frame.details.map(function (one) { return one.message; }).join(", ") : frame.message;
    const answers = box.all().some(function (item) { return item.frame.key === frame.key && item.frame.type === "form"; });
    if (answers && form && !passing) {
      form.trouble(reason);
      box.taken(frame.key);
      return;
    }
    box.refused(frame.key, reason, wait);
  }

  function come(items, more) {
    const before = newest;
    for (const message of items) {
      newest = Math.max(newest, message.sequence);
      if (message.key) box.taken(message.key);
    }
    const fresh = view.log.add(items);
    if (more !== undefined && before === 0) view.log.more(more);
    const others = fresh.filter(function (message) { return message.from !== "visitor"; });
    if (others.length) {
      view.quiet();
      if (!open && (before > 0 || !kept.read("seen") || newest > kept.read("seen"))) unread += others.length;
      const last = others[others.length - 1];
      view.announce(view.log.author(last) + ": " + (last.content.text || last.content.caption || text("download", { name: last.content.name || "" })));
    }
    count();
    progress();
  }

  function count() {
    shell.badge.hidden = open || unread === 0;
    shell.badge.textContent = unread > 99 ? "99+" : String(unread);
    shell.launcher.setAttribute("aria-label", unread && !open ? text("launcher") + ", " + text("newMessages", { count: unread }) : text("launcher"));
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
    if (!view) return;
    if (!online) { view.status(navigator.onLine === false ? text("offline") : text("reconnecting")); return; }
    if (!chat) { view.status(""); return; }
    view.log.seen(Boolean(chat.seen));
    view.status(standing(chat, text));
  }

  function show(wanted) {
    if (!view || open === wanted) return;
    open = wanted;
    shell.show(open);
    if (open) {
      unread = 0;
      view.log.toEnd();
      view.focus();
    } else {
      shell.launcher.focus();
    }
    count();
    progress();
  }

  window.Patchbay = {
    site: siteKey,
    open: function () { show(true); },
    close: function () { show(false); },
    identify: function (who) {
      // Unsent messages are not sent in the name of the next user.
      if (!who && box) box.forget();
      link.identify(who && who.userId ? { userId: String(who.userId), hash: String(who.hash) } : null);
    },
  };
  link.start();
}

const begin = address.searchParams.has("preview") ? preview : start;
if (document.body) begin(); else document.addEventListener("DOMContentLoaded", begin);
