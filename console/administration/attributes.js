// The attributes that contacts of the client can have: their names, types and choices.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { hasRole } from "#app/session.js";
import { Button, Select, TextArea, TextField } from "#ui/controls.js";
import { confirm, Dialog } from "#ui/dialog.js";
import { Empty, Fault, Loaded } from "#ui/states.js";
import { Table } from "#ui/table.js";
import { report } from "#ui/toast.js";
import { DEFINITIONS } from "../contacts/attributes.js";
import { attempt, Fact } from "../developers/parts.js";

/** @typedef {import("../contacts/attributes.js").AttributeDefinition} AttributeDefinition */

const TYPES = ["TEXT", "NUMBER", "BOOLEAN", "DATE", "CHOICE"];

/** @param {string} name */
function addressOf(name) {
  return `${DEFINITIONS}/${encodeURIComponent(name)}`;
}

export function Attributes() {
  const load = useLoad((signal) => api.get(DEFINITIONS, undefined, { signal }), []);
  const [dialog, setDialog] = useState(/** @type {null | "new" | AttributeDefinition} */ (null));
  const may = hasRole("ADMIN");
  const remove = async (/** @type {AttributeDefinition} */ one) => {
    if (!(await confirm({ title: t("administration.removeAttributeTitle", { name: one.label }), text: t("administration.removeAttributeText", { name: one.name }), action: t("common.delete"), danger: true }))) return;
    await attempt(() => api.remove(addressOf(one.name)), t("administration.attributeRemoved", { name: one.label }));
    // Another user may have removed it first.
    load.reload();
  };
  const columns = [
    { key: "label", title: t("administration.attributeLabel"), cell: (/** @type {AttributeDefinition} */ one) => html`<span class="strong clip said" title=${one.label}>${one.label}</span>` },
    { key: "name", title: t("administration.attributeName"), cell: (/** @type {AttributeDefinition} */ one) => html`<code>${one.name}</code>` },
    { key: "type", title: t("administration.attributeType"), cell: (/** @type {AttributeDefinition} */ one) => t(`administration.attributeTypes.${one.type}`) },
    { key: "choices", title: t("administration.attributeChoices"), cell: (/** @type {AttributeDefinition} */ one) => html`<span class="soft clip said" title=${one.choices.join(", ")}>${one.choices.join(", ")}</span>` },
    ...(may ? [{ key: "change", title: t("common.edit"), hideTitle: true, end: true, cell: (/** @type {AttributeDefinition} */ one) => html`<span class="row"><${Button} kind="quiet small" icon="edit" label=${t("administration.editNamed", { name: one.label })} onClick=${() => setDialog(one)} />
      <${Button} kind="quiet small" icon="trash" label=${t("administration.removeNamed", { name: one.label })} onClick=${() => remove(one)} /></span>` }] : []),
  ];
  return html`<div class="filters"><p class="row grow small soft">${t("administration.attributesText")}</p>
      ${may && html`<div class="row"><${Button} kind="primary" icon="plus" onClick=${() => setDialog("new")}>${t("administration.addAttribute")}<//></div>`}</div>
    <${Loaded} load=${load}>${(/** @type {{attributes: AttributeDefinition[]}} */ { attributes }) => html`${attributes.length
      ? html`<${Table} label=${t("administration.parts.attributes")} columns=${columns} rows=${attributes} rowKey=${(/** @type {AttributeDefinition} */ one) => one.name} />`
      : html`<${Empty} icon="tag" title=${t("administration.noAttributes")}><p>${t("administration.noAttributesText")}</p><//>`}
      ${dialog && html`<${AttributeDialog} attribute=${dialog === "new" ? undefined : dialog} known=${attributes} onClose=${() => setDialog(null)} onSaved=${load.reload} />`}`}<//>`;
}

/** @param {{attribute?: AttributeDefinition, known: AttributeDefinition[], onClose: () => void, onSaved: () => void}} props */
function AttributeDialog({ attribute, known, onClose, onSaved }) {
  const [name, setName] = useState("");
  const [label, setLabel] = useState(attribute?.label ?? "");
  const [type, setType] = useState(/** @type {string} */ (attribute?.type ?? "TEXT"));
  const [text, setText] = useState((attribute?.choices ?? []).join("\n"));
  const [refused, setRefused] = useState(/** @type {{error: unknown, choices: string[]}} */ ({ error: null, choices: [] }));
  const [busy, setBusy] = useState(false);
  // The API would replace the definition of that name.
  const taken = !attribute && known.some((one) => one.name === name);
  const faults = faultsByField(refused.error);
  const save = async () => {
    if (taken) return;
    setBusy(true);
    const choices = text.split("\n").map((one) => one.trim()).filter(Boolean);
    try {
      await api.put(addressOf(attribute?.name ?? name), { label, type, ...(type === "CHOICE" ? { choices } : {}) });
      report(t("administration.attributeSaved", { name: label.trim() }));
      onSaved();
      onClose();
    } catch (error) {
      setRefused({ error, choices });
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${attribute?.label ?? t("administration.addAttribute")} onClose=${onClose} onSubmit=${save} foot=${html`
      <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy} disabled=${taken}>${attribute ? t("common.save") : t("administration.add")}<//>`}>
    ${refused.error && html`<${Fault} error=${refused.error} />`}
    <${TextField} label=${t("administration.attributeLabel")} hint=${t("administration.attributeLabelHint")} fault=${faults.label} value=${label} onValue=${setLabel} required=${true} maxlength="100" autofocus />
    ${attribute ? html`<dl class="facts"><${Fact} label=${t("administration.attributeName")}><code>${attribute.name}</code><//><${Fact} label=${t("administration.attributeType")} value=${t(`administration.attributeTypes.${type}`)} /></dl>`
      : html`<${TextField} label=${t("administration.attributeName")} hint=${t("administration.attributeNameHint")} fault=${taken ? t("administration.attributeTaken") : faults.name} value=${name} onValue=${setName} required=${true}
          pattern="[a-z][a-z0-9\\-]{0,39}" maxlength="40" spellcheck=${false} autocapitalize="none" autocomplete="off" />
        <${Select} label=${t("administration.attributeType")} hint=${t("administration.attributeTypeHint")} fault=${faults.type} value=${type} options=${TYPES.map((one) => [one, t(`administration.attributeTypes.${one}`)])} onValue=${setType} />`}
    ${type === "CHOICE" && html`<${TextArea} label=${t("administration.attributeChoices")} hint=${t(attribute ? "administration.changedChoicesHint" : "administration.attributeChoicesHint")} fault=${faultOfChoices(faults, refused.choices)} value=${text} onValue=${setText} rows="5" required=${true} />`}
  <//>`;
}

/** The fault of the list of choices, or of one of them with its text. @param {Record<string, string>} faults @param {string[]} choices those that the API refused */
function faultOfChoices(faults, choices) {
  const field = Object.keys(faults).find((one) => one.startsWith("choices"));
  if (!field) return undefined;
  const at = /^choices\[(\d+)\]$/.exec(field);
  return at ? t("administration.choiceFault", { choice: choices[Number(at[1])] ?? "", fault: faults[field] }) : faults[field];
}
