// The sentence before an activation: the plugin that answers, the nodes that change, and the hosts.
import { t } from "#app/i18n.js";
import { placeName, versionName } from "../plugins/facts.js";
import { FLOW_PLUGIN } from "./plugin.js";

/** @typedef {import("./model.js").Flow} Flow */
/** @typedef {import("../plugins/types.js").Activation} Activation */

/** @param {any} one @param {any} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The nodes and the other fields in which two flows differ. @param {Flow} before @param {Flow} after */
export function changesOf(before, after) {
  const ids = [...new Set([...Object.keys(before.nodes ?? {}), ...Object.keys(after.nodes)])];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== "nodes" && name !== "secrets");
  return {
    added: ids.filter((id) => !before.nodes?.[id]),
    removed: ids.filter((id) => !after.nodes[id]),
    changed: ids.filter((id) => before.nodes?.[id] && after.nodes[id] && !same(before.nodes[id], after.nodes[id])),
    fields: fields.filter((name) => !same(before[name], after[name])),
  };
}

/** @param {Flow} before @param {Flow} after @returns {string[]} */
function flowWords(before, after) {
  const { added, removed, changed, fields } = changesOf(before, after);
  const words = [];
  if (added.length) words.push(t("flows.changeAdded", { count: added.length, names: added.join(", ") }));
  if (changed.length) words.push(t("flows.changeChanged", { count: changed.length, names: changed.join(", ") }));
  if (removed.length) words.push(t("flows.changeRemoved", { count: removed.length, names: removed.join(", ") }));
  if (fields.length) words.push(t("flows.changeFields", { names: fields.join(", ") }));
  return words.length ? words : [t("flows.changeNothing")];
}

/**
 * The change in words.
 * @param {{before: Activation | undefined, flow: Flow, hosts: string[], mode: string, percent: number, place: string | null, inboxes: import("../plugins/types.js").Inbox[]}} planned `before`: the activation that it replaces
 */
export function sentence({ before, flow, hosts, mode, percent, place, inboxes }) {
  const where = placeName(place, inboxes);
  const words = [];
  if (mode === "canary") words.push(t("flows.changeCanary", { place: where, percent }));
  else if (mode === "shadow") words.push(t("flows.changeShadow", { place: where }));
  else if (!before) words.push(t("flows.changeFirst", { place: where, count: Object.keys(flow.nodes).length }));
  else if (before.plugin !== FLOW_PLUGIN) words.push(t("flows.changePlugin", { place: where, before: before.version ? `${before.plugin} ${versionName(before.version)}` : before.plugin }));
  else words.push(t("flows.changeFlow", { place: where }));
  if (before?.plugin !== FLOW_PLUGIN) return [...words, hosts.length ? t("plugins.changeHostsAdded", { hosts: hosts.join(", ") }) : t("flows.changeNoRequests")].join(" ");
  words.push(...flowWords(/** @type {Flow} */ (before.config), flow));
  const gone = before.allowedHosts.filter((one) => !hosts.includes(one));
  const added = hosts.filter((one) => !before.allowedHosts.includes(one));
  if (gone.length) words.push(t("plugins.changeHostsGone", { hosts: gone.join(", ") }));
  if (added.length) words.push(t("plugins.changeHostsAdded", { hosts: added.join(", ") }));
  if (!gone.length && !added.length) words.push(t("plugins.changeNoHosts"));
  return words.join(" ");
}
