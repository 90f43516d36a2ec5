/**
 * The widget on its page: the button that opens the window, and the window, with the look and the texts of a site.
 * @param {Session["site"]} site @param {HTMLElement} host @param {Acts} act @param {() => void} toggle
 */
function shellOf(site, host, act, toggle) {
  const look = site.look;
  const text = wording(site.texts);
  const shadow = host.attachShadow({ mode: "open" });
  const direction = look.direction === "AUTO" ? getComputedStyle(document.documentElement).direction : look.direction.toLowerCase();
  host.setAttribute("dir", direction);
  host.setAttribute("lang", look.language);
  shadow.adoptedStyleSheets = [stylesheet(look)];
  const view = panel(text, act);
  const badge = element("span", { class: "badge", "aria-hidden": "true", hidden: true });
  const launcher = element("button", {
    type: "button", class: "launcher", "aria-label": text("launcher"), "aria-expanded": "false", "aria-haspopup": "dialog", onclick: toggle,
  }, [icon(ICONS.chat), badge]);
  shadow.append(launcher, view.root);
  document.body.append(host);
  return {
    shadow: shadow,
    text: text,
    view: view,
    badge: badge,
    launcher: launcher,
    /** @param {boolean} open */
    show: function (open) {
      view.root.hidden = !open;
      launcher.setAttribute("aria-expanded", String(open));
    },
  };
}

/**
 * The text above the messages for a state of the chat.
 * @param {ChatState} chat @param {Wording} text
 */
function standing(chat, text) {
  const words = {
    bot: "",
    queued: text(chat.afterHours ? "afterHours" : "queued"),
    active: chat.agent ? text("agentJoined", { name: chat.agent }) : "",
    closed: text("conversationClosed"),
  };
  return words[chat.state] || "";
}
