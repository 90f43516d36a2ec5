// Texts of the console in the language of the viewer. Each language is one file of `texts/`; English fills what another lacks.
import { signal } from "@preact/signals";
import english from "../texts/en.js";
import { preferences } from "#app/preferences.js";

/** The languages with a file, by their own names. @type {Record<string, string>} */
export const LANGUAGES = { en: "English", de: "Deutsch" };

/** @typedef {{[key: string]: string | Texts}} Texts */
/** @type {import("@preact/signals").Signal<{language: string, texts: Texts}>} */
const current = signal({ language: "en", texts: english });

/** The language in force, for the formats of the browser. */
export function language() {
  return current.value.language;
}

/** Loads the preferred language, otherwise the browser's, otherwise English. */
export async function loadLanguage() {
  const wanted = [preferences.value.language, ...navigator.languages.map((one) => one.split("-")[0])];
  await useLanguage(wanted.find((one) => one in LANGUAGES) ?? "en");
}

/** @param {string} name */
export async function useLanguage(name) {
  const texts = name === "en" ? english : (await import(`../texts/${name}.js`)).default;
  current.value = { language: name, texts };
  document.documentElement.lang = name;
}

/**
 * The text of a key such as `common.close`. `{name}` in it is replaced by `values.name`. With `values.count` a key may have the
 * forms of the language's plural rules: `{one: "...", other: "..."}`.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values) {
  const { language: name, texts } = current.value;
  let found = find(texts, key) ?? find(english, key);
  if (found && typeof found === "object") {
    const form = new Intl.PluralRules(name).select(Number(values?.count ?? 0));
    found = found[form] ?? found.other;
  }
  if (typeof found !== "string") return key;
  return values ? found.replace(/\{(\w+)\}/g, (whole, value) => (value in values ? String(values[value]) : whole)) : found;
}

/** The text of a key, or nothing if there is none. @param {string} key @returns {string | undefined} */
export function known(key) {
  const found = find(current.value.texts, key) ?? find(english, key);
  return typeof found === "string" ? found : undefined;
}

/** @param {Texts} texts @param {string} key @returns {string | Texts | undefined} */
function find(texts, key) {
  /** @type {string | Texts | undefined} */
  let at = texts;
  for (const part of key.split(".")) at = typeof at === "object" ? at[part] : undefined;
  return at;
}
