// Administration of a client: keys, people, attributes of contacts, lists, credits, and the logs.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { hasRole } from "#app/session.js";
import { Tabs } from "../developers/parts.js";
import { Attributes } from "./attributes.js";
import { Audit } from "./audit.js";
import { Blocklist } from "./blocklist.js";
import { Keys } from "./keys.js";
import { Openid } from "./openid.js";
import { Rates } from "./rates.js";
import { Requests } from "./requests.js";
import { Sms } from "./sms.js";
import { Teams } from "./teams.js";
import { Users } from "./users.js";

/** The parts with the roles that see them (docs/roles.md). @type {Array<{name: string, roles: string[], view: any}>} */
const PARTS = [
  { name: "keys", roles: ["ADMIN", "SUPERVISOR", "DEVELOPER", "API"], view: Keys },
  { name: "users", roles: ["ADMIN", "SUPERVISOR", "DEVELOPER"], view: Users },
  { name: "teams", roles: ["ADMIN", "SUPERVISOR", "DEVELOPER"], view: Teams },
  { name: "attributes", roles: ["ADMIN", "SUPERVISOR", "DEVELOPER", "API"], view: Attributes },
  { name: "openid", roles: ["ADMIN"], view: Openid },
  { name: "blocklist", roles: ["ADMIN", "SUPERVISOR", "DEVELOPER", "API"], view: Blocklist },
  { name: "sms", roles: ["ADMIN", "SUPERVISOR", "DEVELOPER", "API"], view: Sms },
  { name: "rates", roles: ["ADMIN"], view: Rates },
  { name: "requests", roles: ["ADMIN", "DEVELOPER"], view: Requests },
  { name: "audit", roles: ["ADMIN"], view: Audit },
];

/** @param {{part?: string}} props */
export default function Administration({ part = "" }) {
  const parts = PARTS.filter((one) => hasRole(...one.roles));
  const chosen = parts.find((one) => one.name === part) ?? parts[0];
  return html`<div class="page"><header class="page-head"><h1>${t("nav.administration")}</h1></header>
    <${Tabs} label=${t("nav.administration")} tabs=${parts.map((one) => ({ to: `/administration/${one.name}`, text: t(`administration.parts.${one.name}`), current: one === chosen }))} />
    <div class="page-body flush" tabindex="0" role="group" aria-label=${t(`administration.parts.${chosen.name}`)} key=${chosen.name}><${chosen.view} /></div></div>`;
}
