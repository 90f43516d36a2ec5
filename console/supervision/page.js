// The pages of supervisors: the desk now, figures of a period, teams with their hours, canned replies.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Link } from "#app/router.js";
import { Empty } from "#ui/states.js";
import { Desk } from "./desk.js";
import { Figures } from "./figures.js";
import { Replies } from "./replies.js";
import { Teams } from "./teams.js";

/** @type {Record<string, any>} */
const PARTS = { desk: Desk, figures: Figures, teams: Teams, replies: Replies };

/** @param {{part?: string}} props */
export default function Supervision({ part = "desk" }) {
  const view = PARTS[part];
  return html`<div class="page"><header class="page-head"><h1>${t("nav.supervision")}</h1></header>
    <nav class="tabs supervision-tabs" aria-label=${t("supervision.parts")}>${Object.keys(PARTS).map((one) => html`<${Link} key=${one} to=${one === "desk" ? "/supervision" : `/supervision/${one}`}
      aria-current=${one === part ? "page" : undefined}>${t(`supervision.part_${one}`)}<//>`)}</nav>
    <div class="page-body">${view ? html`<${view} key=${part} />` : html`<${Empty} icon="search" title=${t("shell.noSuchPage")} />`}</div></div>`;
}
