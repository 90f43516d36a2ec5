// The places where customers reach the client: numbers of WhatsApp, pages, bots, and sites with the chat widget.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Tabs } from "../developers/parts.js";
import { Numbers } from "./numbers.js";
import { Places } from "./places.js";
import { SiteEditor } from "./site.js";
import { Sites } from "./sites.js";

const PARTS = ["whatsapp", "messenger", "telegram", "sites"];

/** @param {{part?: string, id?: string}} props */
export default function PlacesPage({ part: asked = "", id = "" }) {
  const part = PARTS.includes(asked) ? asked : PARTS[0];
  if (part === "sites" && id) return html`<${SiteEditor} key=${id} id=${id} />`;
  return html`<div class="page"><header class="page-head"><h1>${t("nav.numbers")}</h1></header>
    <${Tabs} label=${t("nav.numbers")} tabs=${PARTS.map((one) => ({ to: `/numbers/${one}`, text: t(`numbers.parts.${one}`), current: one === part }))} />
    <div class="page-body flush" tabindex="-1" key=${part}>${partOf(part)}</div></div>`;
}

/** @param {string} part */
function partOf(part) {
  if (part === "sites") return html`<${Sites} />`;
  if (part === "whatsapp") return html`<${Numbers} />`;
  return html`<${Places} channel=${part === "telegram" ? "TELEGRAM" : "FACEBOOK"} />`;
}
