// One site: its settings with a live preview, the tag for its pages, its key and its secret.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { go } from "#app/router.js";
import { Button, Select, TextArea, TextField } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Fault, Loaded } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { attempt, Code, Secret } from "../developers/parts.js";
import { FormFields } from "./form-fields.js";
import { lines, SITES } from "./sites.js";
import { DEFAULT_TEXTS, WidgetPreview } from "./widget-preview.js";

/** @typedef {import("./sites.js").Site} Site */

/** @param {{id: string}} props */
export function SiteEditor({ id }) {
  const load = useLoad((signal) => api.get(`${SITES}/${id}`, undefined, { signal }), [id]);
  const remove = async () => {
    if (!(await confirm({ title: t("sites.removeTitle", { name: load.data?.name }), text: t("sites.removeText"), action: t("common.delete"), danger: true }))) return;
    if (await attempt(() => api.remove(`${SITES}/${id}`), t("sites.removed"))) go("/numbers/sites");
  };
  return html`<div class="page"><header class="page-head"><${Button} kind="quiet" icon="arrowLeft" label=${t("sites.back")} onClick=${() => go("/numbers/sites")} /><h1>${load.data?.name ?? t("sites.site")}</h1>
      <${Button} kind="danger" icon="trash" onClick=${remove}>${t("common.delete")}<//></header>
    <div class="page-body" tabindex="-1"><${Loaded} load=${load}>${(/** @type {Site} */ site) => html`<${Settings} site=${site} onSaved=${load.replace} />`}<//></div></div>`;
}

/** @param {Site} site */
function formOf(site) {
  return { name: site.name, origins: site.origins.join("\n"), team: site.team ?? "", look: { ...site.look }, texts: { ...site.texts }, form: site.form ?? null };
}

/** @param {{site: Site, onSaved: (site: Site) => void}} props */
function Settings({ site, onSaved }) {
  const [form, setForm] = useState(formOf(site));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const teams = useLoad((signal) => api.get("/api/v1/teams", { size: 200 }, { signal }), []);
  // A new key changes the site, and nothing of the form.
  useEffect(() => setForm(formOf(site)), [JSON.stringify(formOf(site))]);
  const faults = faultsByField(error);
  const set = (/** @type {Partial<ReturnType<typeof formOf>>} */ change) => setForm((before) => ({ ...before, ...change }));
  const look = (/** @type {string} */ key, /** @type {string} */ label, /** @type {Array<[string, string]>} */ options) => html`<${Select} key=${key} label=${label} value=${form.look[key] ?? options[0][0]} options=${options} fault=${faults[`look.${key}`]} onValue=${(/** @type {string} */ value) => set({ look: { ...form.look, [key]: value } })} />`;
  const color = (/** @type {string} */ key, /** @type {string} */ label, /** @type {string} */ hint) => html`<div class="row top"><input type="color" class="color" aria-label=${t("sites.pick", { name: label })} value=${form.look[key] || "#ffffff"} onInput=${(/** @type {any} */ event) => set({ look: { ...form.look, [key]: event.currentTarget.value } })} />
    <div class="grow"><${TextField} label=${label} hint=${hint} fault=${faults[`look.${key}`]} value=${form.look[key] ?? ""} placeholder="#0a6c58" onValue=${(/** @type {string} */ value) => set({ look: { ...form.look, [key]: value.trim() } })} /></div></div>`;
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const filled = (/** @type {Record<string, string>} */ given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value));
      onSaved(await api.put(`${SITES}/${site.id}`, { name: form.name, origins: lines(form.origins), team: form.team || null, look: filled(form.look), texts: filled(form.texts), form: form.form }));
      report(t("sites.saved"));
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  };
  return html`<div class="site"><form class="stack loose" onSubmit=${save}>${error && html`<${Fault} error=${error} />`}
      <section class="stack"><h2>${t("sites.general")}</h2><div class="two-columns">
        <${TextField} label=${t("administration.name")} required maxlength="100" fault=${faults.name} value=${form.name} onValue=${(/** @type {string} */ name) => set({ name })} />
        <${Select} label=${t("customer.team")} value=${form.team} options=${[["", t("common.none")], ...(teams.data?.content ?? []).map((/** @type {any} */ one) => [one.name, one.name])]} onValue=${(/** @type {string} */ team) => set({ team })} /></div>
        <${TextArea} label=${t("sites.origins")} hint=${t("sites.originsHint")} required rows="2" fault=${faults.origins} value=${form.origins} onValue=${(/** @type {string} */ origins) => set({ origins })} /></section>
      <section class="stack"><h2>${t("sites.look")}</h2><div class="two-columns">${color("color", t("sites.color"), t("sites.colorHint"))}${color("textColor", t("sites.textColor"), t("sites.textColorHint"))}
        ${look("side", t("sites.side"), [["END", t("sites.sides.END")], ["START", t("sites.sides.START")]])}
        ${look("scheme", t("sites.scheme"), [["AUTO", t("sites.schemes.AUTO")], ["LIGHT", t("shell.theme_light")], ["DARK", t("shell.theme_dark")]])}
        ${look("direction", t("sites.direction"), [["AUTO", t("sites.directions.AUTO")], ["LTR", t("sites.directions.LTR")], ["RTL", t("sites.directions.RTL")]])}
        <${TextField} label=${t("shell.language")} hint=${t("sites.languageHint")} fault=${faults["look.language"]} value=${form.look.language ?? ""} onValue=${(/** @type {string} */ value) => set({ look: { ...form.look, language: value.trim() } })} /></div></section>
      <section class="stack"><h2>${t("sites.texts")}</h2><div class="two-columns">${Object.keys(DEFAULT_TEXTS).map((key) => html`<${TextField} key=${key} label=${t(`sites.text_${key}`)} maxlength="500" fault=${faults[`texts.${key}`]} placeholder=${DEFAULT_TEXTS[key]}
        value=${form.texts[key] ?? ""} onValue=${(/** @type {string} */ value) => set({ texts: { ...form.texts, [key]: value } })} />`)}</div></section>
      <${FormFields} form=${form.form} fault=${faults["form.fields"]} onForm=${(/** @type {any} */ fields) => set({ form: fields })} />
      <div><${Button} kind="primary" type="submit" busy=${busy}>${t("common.save")}<//></div>
      <${Installation} site=${site} onChanged=${onSaved} /></form>
    <div class="site-preview"><${WidgetPreview} look=${form.look} texts=${form.texts} form=${form.form} /></div></div>`;
}

/** @param {{site: Site, onChanged: (site: Site) => void}} props */
function Installation({ site, onChanged }) {
  const [turn, setTurn] = useState(0);
  const replaceKey = async () => {
    if (!(await confirm({ title: t("sites.newKeyTitle"), text: t("sites.newKeyText"), action: t("sites.newKey"), danger: true }))) return;
    await attempt(async () => onChanged(await api.post(`${SITES}/${site.id}/key`)), t("sites.keyReplaced"));
  };
  const rotate = async () => {
    if (!(await confirm({ title: t("sites.rotateTitle"), text: t("sites.rotateText"), action: t("webhooks.rotate"), danger: true }))) return;
    if (await attempt(() => api.post(`${SITES}/${site.id}/secret/rotate`), t("sites.rotated"))) setTurn(turn + 1);
  };
  return html`<section class="card stack"><h2>${t("sites.install")}</h2><p class="soft small">${t("sites.installText")}</p><${Code} title=${t("sites.tag")} text=${site.script} />
      <div><${Button} icon="key" onClick=${replaceKey}>${t("sites.newKey")}<//></div></section>
    <section class="card stack"><h2>${t("sites.secret")}</h2><p class="soft small">${t("sites.secretText")} <a href="/docs/web-chat" target="_blank" rel="noopener">${t("sites.guide")}</a></p>
      <${Secret} key=${turn} label=${t("sites.secret")} load=${async () => (await api.get(`${SITES}/${site.id}/secret`)).secret} /><div><${Button} icon="refresh" onClick=${rotate}>${t("webhooks.rotate")}<//></div></section>`;
}
