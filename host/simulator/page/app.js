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

const VISITOR = { id: "web", title: "Web" };
/** SMS is last: on the others a bot answers the first message, and on SMS a business writes first. */
const PHONES = [whatsapp, messenger, telegram, VISITOR, sms];
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

/** On a narrow screen, which shows one phone. */
function Tabs() {
  const [shown, setShown] = useState(PHONES[0].id);
  useEffect(() => {
    const seen = new IntersectionObserver((entries) => {
      const now = entries.find((one) => one.isIntersecting);
      if (now) setShown(now.target.id);
    }, { threshold: 0.6 });
    for (const phone of document.querySelectorAll(".phone")) seen.observe(phone);
    return () => seen.disconnect();
  }, []);
  return html`<nav class="tabs" aria-label="Phones">${PHONES.map(({ id, title }) => html`<a key=${id} class=${id} href=${`#${id}`} aria-current=${id === shown ? "true" : undefined}>${title}</a>`)}</nav>`;
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
    <${Tabs} />
    <main class="phones">
      ${PHONES.map((one) => ("state" in one ? html`<${Phone} key=${one.id} channel=${one} />` : html`<${VisitorPhone} key=${one.id} />`))}
    </main>
    ${open && html`<${Panel} onClose=${() => setOpen(false)} />`}
  </div>`;
}

applyTheme();
start();
const root = document.getElementById("app");
if (root) render(html`<${App} />`, root);
