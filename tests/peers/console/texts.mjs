// Each language has the keys of English and the same values in its texts; each key that the modules name exists. Formats of numbers and
// times are in one module.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const top = new URL("../../../console/", import.meta.url).pathname;
const FORMATS = new Set(["app/formats.js", "app/i18n.js"]);
const FORMS = new Set(["zero", "one", "two", "few", "many", "other"]);

function flat(texts, before = "", into = new Map()) {
  for (const [key, value] of Object.entries(texts)) {
    const forms = typeof value === "object" && Object.keys(value).every((form) => FORMS.has(form));
    if (typeof value === "string" || forms) into.set(before + key, forms ? value.other : value);
    else flat(value, `${before}${key}.`, into);
  }
  return into;
}

function modules(folder) {
  return readdirSync(join(top, folder), { withFileTypes: true }).flatMap((one) => {
    const path = join(folder, one.name);
    if (one.isDirectory()) return ["vendor", "texts", "types"].includes(one.name) ? [] : modules(path);
    return path.endsWith(".js") ? [path] : [];
  });
}

const faults = [];
const values = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]).sort().join();
const english = flat((await import(join(top, "texts/en.js"))).default);
for (const file of readdirSync(join(top, "texts")).filter((name) => name !== "en.js")) {
  const texts = flat((await import(join(top, "texts", file))).default);
  for (const key of texts.keys()) if (!english.has(key)) faults.push(`${file}: ${key} is not a key of English`);
  for (const [key, text] of english) {
    if (!texts.has(key)) faults.push(`${file} lacks ${key}`);
    else if (values(texts.get(key)) !== values(text)) faults.push(`${file}: ${key} has other values than English`);
  }
}
for (const path of modules("")) {
  const text = readFileSync(join(top, path), "utf8");
  for (const [, key] of text.matchAll(/\bt\("([\w.-]+)"/g)) if (!english.has(key)) faults.push(`${path}: there is no text ${key}`);
  // The Gregorian calendar is for calculations.
  if (!FORMATS.has(path) && /\bIntl\.\w+\((?!"en-u-ca-gregory")|\.toLocale\w*String\(|\.toFixed\(|\.to(Time|Date|UTC)String\(/.test(text)) faults.push(`${path} has a format of its own`);
  if (text.split("\n").length > 301) faults.push(`${path} has more than 300 lines`);
}
if (faults.length) {
  console.error(faults.join("\n"));
  process.exit(1);
}
