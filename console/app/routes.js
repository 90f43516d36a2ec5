// The pages of the console: their paths, the roles that see them, and their modules, which are loaded when they are first shown.

/**
 * `path` is a pattern of the router; `to` is where the navigation leads. A page without `group` is not in the navigation. `styles` are
 * files of the page, relative to the top of the console. The module exports the component as `default`; it gets the values of the
 * pattern as properties.
 * @typedef {{path: string, to: string, title: string, icon: string, group?: string, roles: string[], keys?: string, styles?: string[],
 *   load: () => Promise<{default: import("preact").ComponentType<any>}>}} Page
 */

export const DEVELOPERS = ["ADMIN", "DEVELOPER"];
export const DESK = ["ADMIN", "SUPERVISOR", "AGENT", "API"];

/** The groups of the navigation, in their order. */
export const GROUPS = ["agents", "supervisors", "developers", "plugins", "operators"];

/** @type {Page[]} */
export const PAGES = [
  {
    path: "/inbox/:scope?/:chat?",
    to: "/inbox",
    title: "nav.inbox",
    icon: "inbox",
    group: "agents",
    roles: DESK,
    keys: "g i",
    styles: ["inbox/inbox.css", "inbox/conversation.css", "contacts/contacts.css"],
    load: () => import("../inbox/page.js"),
  },
  {
    path: "/mentions",
    to: "/mentions",
    title: "nav.mentions",
    icon: "note",
    group: "agents",
    roles: DESK,
    keys: "g e",
    load: () => import("../mentions/page.js"),
  },
  {
    path: "/tickets",
    to: "/tickets",
    title: "nav.tickets",
    icon: "ticket",
    group: "agents",
    roles: DESK,
    keys: "g t",
    load: () => import("../tickets/page.js"),
  },
  {
    path: "/contacts",
    to: "/contacts",
    title: "nav.contacts",
    icon: "contacts",
    group: "agents",
    roles: DESK,
    keys: "g c",
    styles: ["contacts/contacts.css"],
    load: () => import("../contacts/page.js"),
  },
  {
    path: "/messages/:id?",
    to: "/messages",
    title: "nav.messages",
    icon: "search",
    group: "developers",
    roles: [...DEVELOPERS, "SUPERVISOR", "API"],
    keys: "g m",
    styles: ["developers/developers.css", "messages/messages.css"],
    load: () => import("../messages/page.js"),
  },
  {
    path: "/sends/:batch?",
    to: "/sends",
    title: "nav.sends",
    icon: "send",
    group: "developers",
    roles: [...DEVELOPERS, "SUPERVISOR", "API"],
    keys: "g s",
    styles: ["developers/developers.css", "sends/sends.css"],
    load: () => import("../sends/page.js"),
  },
  {
    path: "/webhooks/:config?/:part?",
    to: "/webhooks",
    title: "nav.webhooks",
    icon: "webhook",
    group: "developers",
    roles: [...DEVELOPERS, "LINK"],
    keys: "g w",
    styles: ["developers/developers.css"],
    load: () => import("../webhooks/page.js"),
  },
  {
    path: "/numbers/:part?/:id?",
    to: "/numbers",
    title: "nav.numbers",
    icon: "phone",
    group: "developers",
    roles: DEVELOPERS,
    keys: "g n",
    styles: ["developers/developers.css", "numbers/numbers.css"],
    load: () => import("../numbers/page.js"),
  },
  {
    path: "/administration/:part?",
    to: "/administration",
    title: "nav.administration",
    icon: "settings",
    group: "developers",
    roles: [...DEVELOPERS, "SUPERVISOR", "API"],
    keys: "g a",
    styles: ["developers/developers.css"],
    load: () => import("../administration/page.js"),
  },
  {
    path: "/supervision/:part?",
    to: "/supervision",
    title: "nav.supervision",
    icon: "headset",
    group: "supervisors",
    roles: ["ADMIN", "SUPERVISOR"],
    keys: "g d",
    styles: ["supervision/supervision.css"],
    load: () => import("../supervision/page.js"),
  },
  {
    path: "/plugins/:name?/:tab?",
    to: "/plugins",
    title: "nav.plugins",
    icon: "plug",
    group: "plugins",
    roles: DEVELOPERS,
    keys: "g p",
    styles: ["plugins/plugins.css"],
    load: () => import("../plugins/page.js"),
  },
  {
    path: "/flows/:kind?/:id?",
    to: "/flows",
    title: "nav.flows",
    icon: "flow",
    group: "plugins",
    roles: DEVELOPERS,
    keys: "g f",
    styles: ["plugins/plugins.css", "flows/flows.css", "flows/cards.css"],
    load: () => import("../flows/page.js"),
  },
  {
    path: "/operators/:part?",
    to: "/operators",
    title: "nav.operators",
    icon: "server",
    group: "operators",
    roles: ["OPERATOR"],
    keys: "g o",
    styles: ["operators/operators.css"],
    load: () => import("../operators/page.js"),
  },
];

/** The pages of a role. @param {string} role */
export function pagesOf(role) {
  return PAGES.filter((page) => page.roles.includes(role));
}
