// The ready flows of the console are those of the plugin. The console serves modules only. `UPDATE=1` writes them.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const top = new URL("../../../", import.meta.url).pathname;
const [from, to] = [join(top, "plugins/flow/flows"), join(top, "console/flows/ready")];
const names = readdirSync(from);
const { READY } = await import(join(top, "console/flows/ready.js"));
const faults = [];

for (const name of names) {
  const path = join(to, `${name}.js`);
  const text = `// Made from plugins/flow/flows/${name}/flow.json.\nexport default ${readFileSync(join(from, name, "flow.json"), "utf8").trim()};\n`;
  if (process.env.UPDATE) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) faults.push(`${path} differs from ${name}/flow.json: run this script with UPDATE=1`);
}
const modules = readdirSync(to).map((file) => file.replace(/\.js$/, ""));
if (String(modules.sort()) !== String([...names].sort())) faults.push(`modules ${modules} for the flows ${names}`);
if (String([...READY].sort()) !== String([...names].sort())) faults.push(`console/flows/ready.js lists ${READY} for the flows ${names}`);
if (faults.length) {
  console.error(faults.join("\n"));
  process.exit(1);
}
