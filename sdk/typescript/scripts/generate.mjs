// Writes the generated types from docs/openapi.json: `node scripts/generate.mjs [DOCUMENT] [FILE]`.
// openapi-typescript makes them. Error answers, headers and examples are left out, because the client handles errors itself.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const GENERATOR = "openapi-typescript@7.13.0";

const here = new URL(".", import.meta.url);
const source = process.argv[2] ?? new URL("../../../docs/openapi.json", here);
const target = process.argv[3] ?? new URL("../src/schema.ts", here);

const METHODS = ["get", "post", "put", "delete"];
// These operations are for operators, providers and the widget of web chat.
const OTHERS = ["Operations", "Provider callbacks", "Testing"];
const OF_OTHERS = (operation) => OTHERS.includes(operation.tags[0]) || operation.operationId.endsWith("V1");

function reduce(document) {
  const paths = {};
  for (const [name, path] of Object.entries(document.paths)) {
    for (const method of METHODS.filter((method) => path[method] && !OF_OTHERS(path[method]))) {
      const { operationId, summary, parameters, requestBody, responses } = path[method];
      const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
      for (const [, response] of successes) delete response.headers;
      paths[name] ??= {};
      paths[name][method] = { operationId, summary, parameters, requestBody, responses: Object.fromEntries(successes) };
    }
  }
  delete document.components.responses;
  const reduced = { openapi: document.openapi, info: document.info, paths, components: document.components };
  return JSON.parse(JSON.stringify(reduced, (name, value) => (isExample(name, value) ? undefined : value)));
}

// A property can have the name `example`: its value is a schema.
function isExample(name, value) {
  return name === "examples" ? Array.isArray(value) : name === "example" && !value?.type && !value?.$ref;
}

const folder = await mkdtemp(join(tmpdir(), "patchbay-types-"));
const [reduced, types] = ["document.json", "types.ts"].map((name) => join(folder, name));
await writeFile(reduced, JSON.stringify(reduce(JSON.parse(await readFile(source, "utf8")))));
execFileSync("npm", ["exec", "--yes", `--package=${GENERATOR}`, "--", "openapi-typescript", reduced, "-o", types]);

const title = "// The types of the API. `npm run generate` makes this file from docs/openapi.json.\n";
const lines = (await readFile(types, "utf8")).split("\n");
// Methods and parameters that do not exist need no line.
await writeFile(target, title + lines.filter((line) => !/^\s+\w+\?: never;$/.test(line)).join("\n"));
await rm(folder, { recursive: true });
