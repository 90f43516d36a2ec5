// The script tag: `<script src=".../web-chat/widget.js?site=KEY" async></script>`. Pages may call `Patchbay.open()`, `.close()` and
// `.identify({userId, hash})`.
const tag = document.currentScript || document.querySelector("script[src*='/web-chat/widget.js?site=']");

/** @param {URL} address the address of the script */
function start(address) {
  const siteKey = address.searchParams.get("site") || "";
  if (window.Patchbay && window.Patchbay.site === siteKey) return;
  const kept = store(siteKey);
  const host = document.createElement("patchbay-chat");
  const box = outbox(kept, function (frame) { return link.say(frame); }, function () { if (chat) chat.waits(); });
  /** @type {ReturnType<typeof chatOf> | null} */
  let chat = null;

  const link = connection(address.origin, siteKey, kept, {
    session: function (began) {
      if (chat) chat.session(began);
      else chat = chatOf(began, { kept: kept, host: host, box: box, link: link });
    },
    position: function () { return chat ? chat.position() : { after: 0 }; },
    open: function () {
      if (chat) chat.online(true);
      box.flush();
    },
    lost: function () { if (chat) chat.online(false); },
    refused: function () {
      if (chat) chat.online(false);
      host.remove();
    },
    frame: function (frame) { if (chat) chat.hear(frame); },
  });

  window.Patchbay = {
    site: siteKey,
    open: function () { if (chat) chat.show(true); },
    close: function () { if (chat) chat.show(false); },
    identify: function (who) {
      // Unsent messages are not sent in the name of the next user.
      if (!who) box.forget();
      link.identify(who && who.userId ? { userId: String(who.userId), hash: String(who.hash) } : null);
    },
  };
  link.start();
}

if (tag instanceof HTMLScriptElement) {
  const address = new URL(tag.src);
  const begin = address.searchParams.has("preview") ? function () { preview(address.origin); } : function () { start(address); };
  if (document.body) begin(); else document.addEventListener("DOMContentLoaded", begin);
}
