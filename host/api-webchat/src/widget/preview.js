// The preview of settings that are being edited, in a frame of the console: the same elements as on a page of the site, without a
// session, a socket and stored data. Each message of the console has everything that is shown, and all of it is drawn again.
function preview() {
  let shell = null;
  const act = {};
  for (const deed of ["close", "text", "file", "retry", "earlier", "types", "choose"]) act[deed] = idle;
  // With each drawing the window would rise again.
  const still = new CSSStyleSheet();
  still.replaceSync(".panel{animation:none}");

  function idle() {}

  // `formDue`, `chat` and `messages` are those of a session and its frames.
  function draw(shown) {
    if (shell) shell.host.remove();
    shell = shellOf(shown.site, act, idle);
    shell.shadow.adoptedStyleSheets = Array.from(shell.shadow.adoptedStyleSheets).concat([still]);
    shell.view.log.add(shown.messages);
    shell.view.status(shown.chat ? standing(shown.chat, shell.text) : "");
    if (shown.formDue) shell.view.ask(shown.site.form, idle);
    shell.show(shown.open);
  }

  window.addEventListener("message", function (event) {
    if (event.source === window.parent && event.origin === address.origin) draw(event.data);
  });
}
