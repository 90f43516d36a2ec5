// The page: its bar, the phones side by side, and the panel of the world.
import { html } from "htm/preact";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messenger } from "./channels/messenger.js";
import { sms } from "./channels/sms.js";
import { telegram } from "./channels/telegram.js";
import { whatsapp } from "./channels/whatsapp.js";
import { activeFaults } from "./faults.js";
import { HostClock } from "./host_clock.js";
import { Icon } from "./icons.js";
import { link, start, views } from "./live.js";
import { Panel } from "./panel.js";
import { Phone } from "./phone.js";
import { applyTheme, nextTheme, theme } from "./theme.js";
import { VisitorPhone } from "./visitor.js";

/** @type {import("./channels/channel.js").Channel[]} */
const CHANNELS = [whatsapp, sms, messenger, telegram];
const TABS = [...CHANNELS.map((one) => ({ id: one.id, title: one.title })), { id: "web", title: "Web" }];
const LINK = { connecting: "Connecting", live: "Live", lost: "Connection lost" };

function ThemeButton() {
  const words = { "": "as the system", light: "light", dark: "dark" };
  return html`<button class="bar-button" aria-label=${`Colours: ${words[theme.value]}. Change`} onClick=${nextTheme}>
    <${Icon} name=${theme.value === "light" ? "sun" : "moon"} /></button>`;
}

/** @param {{open: boolean, onPanel: () => void}} props */
function Bar({ open, onPanel }) {
  const world = views.world.value;
  const faults = activeFaults(world?.faults);
  return html`<header class="bar">
    <img src="/page/icon.svg" width="28" height="28" alt="" />
    <div class="name"><h1>Simulated phones</h1><p>No message leaves this machine. Write to the business: its bot answers.</p></div>
    <span class=${`link ${link.value}`} role="status"><i aria-hidden="true"></i>${LINK[link.value]}</span>
    ${world?.hasClock && html`<${HostClock} />`}
    <button class=${`bar-button ${faults.length ? "alarm" : ""}`} aria-expanded=${open} aria-controls="panel" onClick=${onPanel}>
      <${Icon} name="bolt" /><span>Faults</span>${faults.length > 0 && html`<b class="count">${faults.length}<span class="unseen"> on</span></b>`}</button>
    <${ThemeButton} />
  </header>`;
}

function App() {
  const [open, setOpen] = useState(() => window.matchMedia("(min-width: 1850px)").matches);
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const escape = (event) => {
      const inPanel = event.target instanceof Element && event.target.closest("#panel");
      if (event.key === "Escape" && !event.defaultPrevented && inPanel) setOpen(false);
    };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, []);
  return html`<div class=${`page ${open ? "with-panel" : ""}`}>
    <${Bar} open=${open} onPanel=${() => setOpen(!open)} />
    <nav class="tabs" aria-label="Phones">${TABS.map((tab) => html`<a key=${tab.id} class=${tab.id} href=${`#${tab.id}`}>${tab.title}</a>`)}</nav>
    <main class="phones">
      ${CHANNELS.map((channel) => html`<${Phone} key=${channel.id} channel=${channel} />`)}
      <${VisitorPhone} />
    </main>
    ${open && html`<${Panel} onClose=${() => setOpen(false)} />`}
  </div>`;
}

applyTheme();
start();
const root = document.getElementById("app");
if (root) render(html`<${App} />`, root);
