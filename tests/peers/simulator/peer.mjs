// Loads a package from the cache directory that install.sh prints (argument `--peers`).
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** The arguments as an object; every one is a string. */
export function options(...names) {
  const known = Object.fromEntries(["peers", ...names].map((name) => [name, { type: "string" }]));
  return parseArgs({ options: known }).values;
}

/** Imports `name` from the cache directory. */
export function load(peers, name) {
  const require = createRequire(join(peers, "node", "package.json"));
  return import(pathToFileURL(require.resolve(name)).href);
}

/** One line of JSON on standard output, for the test to read. */
export function tell(line) {
  process.stdout.write(JSON.stringify(line) + "\n");
}
