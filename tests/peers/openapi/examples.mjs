// Validates every example of an OpenAPI 3.1 document with Ajv: `node examples.mjs NODE_MODULES DOCUMENT`.
// Prints {"checked", "faults"}.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const [modules, file] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const Ajv = require("ajv/dist/2020.js").default;
const addFormats = require("ajv-formats").default;

const document = JSON.parse(await readFile(file, "utf8"));
// The other keywords of OpenAPI say nothing about a value.
const keywords = ["components", "discriminator", "xml", "example"];
const ajv = new Ajv({ strictTypes: false, allErrors: true, keywords });
addFormats(ajv);
for (const format of ["int32", "int64", "double", "float", "binary", "password"]) {
  if (!ajv.formats[format]) ajv.addFormat(format, true);
}
ajv.addSchema({ $id: "document", components: document.components });

const faults = [];
let checked = 0;

function check(place, schema, example) {
  checked += 1;
  // References of the document begin at its root.
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
  const validate = ajv.compile(JSON.parse(text));
  if (!validate(example)) faults.push(`${place}: ${ajv.errorsText(validate.errors)}`);
}

function walk(place, value, isName) {
  if (typeof value !== "object" || value === null) return;
  // Below `properties` and `schemas` the names are free.
  if (!isName) {
    if (value.schema && value.example !== undefined) check(place, value.schema, value.example);
    if (value.schema && value.examples) {
      for (const [name, { value: example }] of Object.entries(value.examples)) check(`${place}/${name}`, value.schema, example);
    }
    if (Array.isArray(value.examples)) {
      const { examples, ...schema } = value;
      examples.forEach((example) => check(place, schema, example));
    }
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!["example", "examples", "default", "enum"].includes(name) || isName) {
      walk(`${place}/${name}`, inner, !isName && ["properties", "schemas"].includes(name));
    }
  }
}

walk("", document, false);
process.stdout.write(JSON.stringify({ checked, faults }));
