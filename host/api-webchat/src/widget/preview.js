/**
 * The preview of settings that are being edited, in a frame of the console: the same elements as on a page of the site, without a session,
 * a socket and stored data. Each message of the console has everything that is shown, and all of it is drawn again.
 * @param {string} origin the origin of the console
 */
function preview(origin) {
  /** @type {HTMLElement | null} */
  let host = null;
  /** @type {Acts} */
  const act = { close: idle, text: idle, file: idle, retry: idle, earlier: idle, types: idle, choose: idle };
  // With each drawing the window would rise again.
  const still = new CSSStyleSheet();
  still.replaceSync(".panel{animation:none}");

  function idle() {}

  /** @param {Previewed} shown */
  function draw(shown) {
    if (host) host.remove();
    host = document.createElement("patchbay-chat");
    const shell = shellOf(shown.site, host, act, idle);
    shell.shadow.adoptedStyleSheets = Array.from(shell.shadow.adoptedStyleSheets).concat([still]);
    shell.view.log.add(shown.messages);
    shell.view.status(shown.chat ? standing(shown.chat, shell.text) : "");
    if (shown.formDue && shown.site.form) shell.view.ask(shown.site.form, idle);
    shell.show(shown.open);
  }

  window.addEventListener("message", function (event) {
    if (event.source === window.parent && event.origin === origin) draw(event.data);
  });
}
