// The places where customers reach the client: numbers of WhatsApp, and sites with the chat widget.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Tabs } from "../developers/parts.js";
import { Numbers } from "./numbers.js";
import { SiteEditor } from "./site.js";
import { Sites } from "./sites.js";

const PARTS = ["whatsapp", "sites"];

/** @param {{part?: string, id?: string}} props */
export default function Places({ part: asked = "", id = "" }) {
  const part = PARTS.includes(asked) ? asked : PARTS[0];
  if (part === "sites" && id) return html`<${SiteEditor} key=${id} id=${id} />`;
  return html`<div class="page"><header class="page-head"><h1>${t("nav.numbers")}</h1></header>
    <${Tabs} label=${t("nav.numbers")} tabs=${PARTS.map((one) => ({ to: `/numbers/${one}`, text: t(`numbers.parts.${one}`), current: one === part }))} />
    <div class="page-body flush" tabindex="-1" key=${part}>${part === "sites" ? html`<${Sites} />` : html`<${Numbers} />`}</div></div>`;
}
