// JSON Schema, as far as a form needs it: references, types, defaults. The server alone decides whether a configuration fits.

/** @typedef {Record<string, any>} Schema */

const MOST_REFERENCES = 20;

/** The schema behind its references, with the other keywords of their place on top. @param {Schema} schema @param {Schema} root @returns {Schema} */
export function resolve(schema, root) {
  let found = schema ?? {};
  for (let turn = 0; found.$ref && turn < MOST_REFERENCES; turn += 1) {
    const { $ref, ...others } = found;
    found = { ...at($ref, root), ...others };
  }
  if (found.allOf?.length === 1) {
    const { allOf, ...others } = found;
    return resolve({ ...allOf[0], ...others }, root);
  }
  return found;
}

/** @param {string} reference @param {Schema} root @returns {Schema} */
function at(reference, root) {
  if (!reference.startsWith("#/")) return {};
  return reference.slice(2).split("/").reduce((found, part) => found?.[part.replace(/~1/g, "/").replace(/~0/g, "~")], /** @type {any} */ (root)) ?? {};
}

/** The kind of field that a schema gets. @param {Schema} schema @returns {"choice" | "switch" | "number" | "text" | "texts" | "list" | "group" | "map" | "json"} */
export function kindOf(schema) {
  const types = [schema.type ?? []].flat().filter((one) => one !== "null");
  if (schema.enum && schema.enum.every((/** @type {any} */ one) => typeof one === "string")) return "choice";
  if (types.length !== 1 || schema.oneOf || schema.anyOf) return "json";
  if (types[0] === "boolean") return "switch";
  if (types[0] === "integer" || types[0] === "number") return "number";
  if (types[0] === "string") return "text";
  if (types[0] === "array") return schema.items && !Array.isArray(schema.items) ? "list" : "json";
  if (types[0] === "object" && schema.properties) return "group";
  if (types[0] === "object" && typeof schema.additionalProperties === "object") return "map";
  return "json";
}

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** The names of fields in an order; others follow. The server has them by name, which is no order for days. @param {Record<string, any>} properties @param {string[]} [order] @returns {string[]} */
export function ordered(properties, order = DAYS) {
  return [...order.filter((name) => name in properties), ...Object.keys(properties).filter((name) => !order.includes(name))];
}

/** A name such as `menuWords` as words. @param {string} name */
export function wordsOf(name) {
  const words = name.replace(/[_-]+/g, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An entry that a list begins with. @param {Schema} schema @param {Schema} root @returns {any} */
export function blank(schema, root) {
  const found = resolve(schema, root);
  if (found.default !== undefined) return found.default;
  const kind = kindOf(found);
  if (kind === "group") return Object.fromEntries((found.required ?? []).map((/** @type {string} */ name) => [name, blank(found.properties?.[name] ?? {}, root)]));
  return { choice: found.enum?.[0], switch: false, number: found.minimum ?? 0, text: "", texts: [], list: [], map: {}, json: {} }[kind];
}

/** The value with another one at a name; `undefined` removes the name. @param {any} value @param {string} name @param {any} next */
export function withField(value, name, next) {
  const { [name]: _, ...rest } = value ?? {};
  return next === undefined ? rest : { ...(value ?? {}), [name]: next };
}
