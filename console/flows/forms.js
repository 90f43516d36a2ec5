// The forms of a node and of the flow, made from the JSON Schema of the plugin. Names and hints are in the viewer's language.
import { html } from "htm/preact";
import { known, t } from "#app/i18n.js";
import { Button, Select } from "#ui/controls.js";
import { NameField, SchemaForm } from "../plugins/schema-form.js";
import { DAYS, ordered, resolve, withField } from "../plugins/schema.js";
import { faultsOf } from "./check.js";
import { ownFields } from "./fields.js";
import { KINDS, blankNode, kindName } from "./kinds.js";
import { ENTRY, portsOf } from "./model.js";

/** @typedef {import("./model.js").Flow} Flow */
/** @typedef {import("./check.js").Finding} Finding */
/** @typedef {import("../plugins/schema.js").Schema} Schema */

const ID = /^[A-Za-z0-9_-]{1,64}$/;
/** The order of fields within groups and of the flow. A schema from the server has them by name. */
const ORDER = ["title", "words", "name", "url", "kind", "minutes", "min", "max", "next", "description", "id", "map", "filename", ...DAYS];
const FLOW_ORDER = ["start", "languages", "commands", "idle", "released", "hours", "events", "kept", "contactAttributes", "secrets", "description"];

/** A schema with names and hints of the viewer's language. @param {Schema} given @param {Schema} root @param {string} [name] @returns {Schema} */
function translated(given, root, name = "") {
  const { title, description, ...schema } = resolve(given, root);
  const words = { title: known(`flows.field_${name}`) ?? title, description: known(`flows.hint_${name}`) };
  if (schema.properties) {
    return { ...schema, ...words, properties: Object.fromEntries(ordered(schema.properties, ORDER).map((one) => [one, translated(schema.properties[one], root, one)])) };
  }
  if (schema.type === "array" && schema.items) return { ...schema, ...words, items: translated(schema.items, root, `${name}Entry`) };
  return { ...schema, ...words };
}

/** The schema of one kind of node. @param {Schema} root @param {import("./model.js").FlowNode} node @param {Flow} flow @returns {Schema} */
function schemaOf(root, node, flow) {
  const all = resolve(root.properties.nodes.additionalProperties, root).properties;
  const kind = KINDS[node.type];
  const ways = portsOf("", node, flow).map((way) => way.field).filter((field) => field in all);
  const names = [...(kind?.fields ?? []), ...ways].filter((name) => name in all);
  const properties = Object.fromEntries(names.map((name) => [name, translated(all[name], root, name)]));
  if (properties.options) {
    const title = flow.languages?.length ? Object.fromEntries(flow.languages.map((code) => [code, t("flows.newOption")])) : t("flows.newOption");
    properties.options.items.default = { id: freeOption(node), title };
  }
  if (properties.cases) properties.cases.items.default = { attribute: "name", exists: true };
  if (properties.set) properties.set.begin = "answer";
  if (properties.contact) properties.contact.begin = Object.keys(flow.contactAttributes ?? {})[0] ?? "plan";
  if (properties.map) properties.map.begin = "answer";
  if (properties.headers) properties.headers.begin = "x-header";
  if (properties.statuses) properties.statuses.begin = "404";
  if (properties.accept) properties.accept.begin = { kind: "text" };
  if (properties.media) properties.media.begin = { kind: "image", url: "https://" };
  return { type: "object", $defs: root.$defs, properties, required: kind?.needed };
}

/** An id that no option of a menu has. @param {import("./model.js").FlowNode} node */
function freeOption(node) {
  const ids = (node.options ?? []).map((/** @type {any} */ one) => one.id);
  for (let number = ids.length + 1; ; number += 1) if (!ids.includes(`option-${number}`)) return `option-${number}`;
}

/** A node of another kind, with the fields that this kind has, too. @param {import("./model.js").FlowNode} node @param {string} kind @param {Flow} flow */
function changeKind(node, kind, flow) {
  const fresh = blankNode(kind, flow.languages);
  const ways = portsOf("", { ...node, ...fresh }, flow).map((way) => way.field);
  const kept = Object.entries(node).filter(([name]) => name !== "type" && (KINDS[kind].fields.includes(name) || ways.includes(name)));
  return { ...fresh, ...Object.fromEntries(kept) };
}

/**
 * @param {{schema: Schema, flow: Flow, id: string, findings: Finding[], onNode: (node: import("./model.js").FlowNode, field: string) => void, onRename: (id: string) => void,
 *   onDuplicate: () => void, onRemove: () => void}} props
 */
export function NodeForm({ schema, flow, id, findings, onNode, onRename, onDuplicate, onRemove }) {
  const node = flow.nodes[id];
  const faults = faultsOf(findings, id);
  const own = schemaOf(schema, node, flow);
  const foreign = Object.keys(node).filter((name) => name !== "type" && !(name in own.properties));
  const change = (/** @type {any} */ next) => onNode(next, Object.keys({ ...node, ...next }).find((name) => node[name] !== next[name]) ?? "");
  return html`<div class="stack flow-form"><div class="row top wrap flow-form-head">
      <${NameField} label=${t("flows.field_nodeId")} value=${id} pattern=${ID} taken=${(/** @type {string} */ next) => next !== id && Object.hasOwn(flow.nodes, next)} onValue=${onRename} />
      <${Select} label=${t("flows.field_type")} fault=${faults["config/type"]} value=${node.type} options=${[...Object.keys(KINDS), ...(node.type in KINDS ? [] : [String(node.type)])].map((kind) => [kind, kindName(kind)])} onValue=${(/** @type {string} */ kind) => onNode(changeKind(node, kind, flow), "")} /></div>
    ${faults[""] && html`<p class="fault small danger-text pre">${faults[""]}</p>`}
    <${SchemaForm} key=${`${id} ${node.type}`} schema=${own} value=${node} onValue=${change} faults=${faults} own=${ownFields(flow)} />
    ${foreign.map((name) => html`<p key=${name} class="row wrap small"><span class="grow">${t("flows.foreignField", { name, kind: kindName(node.type) })}</span>
      <${Button} kind="small" icon="trash" onClick=${() => onNode(withField(node, name, undefined), "")}>${t("flows.removeField", { name })}<//></p>`)}
    <div class="row wrap"><${Button} kind="small" icon="copy" onClick=${onDuplicate}>${t("flows.duplicate")}<//><${Button} kind="small danger" icon="trash" onClick=${onRemove}>${t("flows.remove")}<//></div></div>`;
}

/** The settings of the flow. @param {{schema: Schema, flow: Flow, findings: Finding[], onFlow: (flow: Flow, field: string) => void}} props */
export function FlowForm({ schema, flow, findings, onFlow }) {
  const { nodes: _, ...others } = schema.properties;
  const first = Object.keys(flow.nodes)[0];
  const properties = Object.fromEntries(ordered(others, FLOW_ORDER).map((name) => [name, translated(others[name], schema, name === "description" ? "about" : name)]));
  properties.idle.begin = { minutes: 60, next: first };
  properties.secrets.begin = "token";
  if (properties.contactAttributes) properties.contactAttributes.begin = "plan";
  properties.commands.items.default = { words: [t("flows.newWord")], next: first };
  properties.events.items.default = { name: "event", next: first };
  const own = { type: "object", $defs: schema.$defs, properties, required: schema.required };
  const change = (/** @type {any} */ next) => onFlow(next, Object.keys({ ...flow, ...next }).find((name) => flow[name] !== next[name]) ?? "");
  const faults = faultsOf(findings, ENTRY);
  return html`<div class="stack flow-form">${faults[""] && html`<p class="fault small danger-text pre">${faults[""]}</p>`}
    <${SchemaForm} schema=${own} value=${flow} onValue=${change} faults=${faults} own=${ownFields(flow)} /></div>`;
}
