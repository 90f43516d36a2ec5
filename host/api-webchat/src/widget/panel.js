// The window of the chat: a dialog that does not block the page, with an order of focus and one live region for new messages.
/** @param {Wording} text @param {Acts} act */
function panel(text, act) {
  const status = element("div", { class: "status", role: "status" });
  const typing = element("div", { class: "typing", "aria-hidden": "true" });
  const said = element("div", { class: "unseen", role: "status", "aria-live": "polite" });
  const field = element("textarea", {
    rows: 1, maxlength: 4096, placeholder: text("placeholder"), "aria-label": text("placeholder"), dir: "auto", enterkeyhint: "send",
  });
  const file = element("input", {
    type: "file", hidden: true, tabindex: "-1", "aria-hidden": "true",
    accept: "image/jpeg,image/png,image/gif,image/webp,application/pdf,.docx,.xlsx,video/mp4,audio/mpeg,audio/mp4,audio/ogg,audio/wav",
  });
  const attach = element("button", { type: "button", class: "icon", "aria-label": text("attach"), onclick: function () { file.click(); } }, [icon(ICONS.clip)]);
  const compose = element("form", { class: "compose" }, [
    attach, file, field, element("button", { type: "submit", class: "icon primary", "aria-label": text("send") }, [icon(ICONS.send)]),
  ]);
  const log = thread(text, act);
  const close = element("button", { type: "button", class: "icon", "aria-label": text("close"), onclick: act.close }, [icon(ICONS.close)]);
  const title = element("h2", { id: "title", text: text("title") });
  const root = element("div", { class: "panel", role: "dialog", "aria-labelledby": "title", hidden: true }, [
    element("div", { class: "head" }, [title, close]), status, log.root, typing, compose, said,
  ]);
  /** @type {ReturnType<typeof formOf> | null} */
  let form = null;
  let hush = 0;

  function submit() {
    const words = field.value.trim();
    if (!words) return;
    act.text(words);
    field.value = "";
    grow();
  }
  function grow() { field.rows = Math.min(5, field.value.split("\n").length); }

  compose.addEventListener("submit", function (event) { event.preventDefault(); submit(); });
  field.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); }
  });
  field.addEventListener("input", function () { grow(); act.types(); });
  file.addEventListener("change", function () { for (const one of file.files || []) act.file(one); file.value = ""; });
  root.addEventListener("keydown", function (event) { if (event.key === "Escape") { event.stopPropagation(); act.close(); } });

  return {
    root: root,
    log: log,
    focus: function () { (form || field).focus(); },
    /** @param {string} words */
    status: function (words) { if (status.textContent !== words) status.textContent = words; },
    /** @param {string} words */
    announce: function (words) { said.textContent = ""; window.setTimeout(function () { said.textContent = words; }, 50); },
    /** @param {string} name */
    typing: function (name) {
      typing.textContent = text("typing", { name: name });
      window.clearTimeout(hush);
      hush = window.setTimeout(function () { typing.textContent = ""; }, 6000);
    },
    quiet: function () { window.clearTimeout(hush); typing.textContent = ""; },
    /** @param {SiteForm} asked @param {(answers: Answers) => void} answer */
    ask: function (asked, answer) {
      form = formOf(asked, text, answer);
      log.root.hidden = true;
      compose.hidden = true;
      log.root.after(form.root);
      return form;
    },
    answered: function () {
      if (!form) return;
      const tree = root.getRootNode();
      const had = tree instanceof ShadowRoot ? tree.activeElement : null;
      // A disabled button loses the focus to the page.
      const inside = had ? form.root.contains(had) : form.sent() && document.activeElement === document.body;
      form.root.remove();
      form = null;
      log.root.hidden = false;
      compose.hidden = false;
      if (inside) field.focus();
    },
  };
}
