// A dialog with a form of plain fields, with the fault of each field at its place.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { Button, Checkbox, Select, TextArea, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";

/**
 * @typedef {{key: string, label: string, hint?: string, kind?: "text" | "area" | "select" | "check", type?: string, options?: Array<[string, string]>, required?: boolean,
 *   placeholder?: string, [other: string]: any}} FormField
 */

/**
 * `save` gets the values of the fields by their keys. If it fails, the dialog stays and shows why.
 * @param {{title: string, fields: FormField[], values: Record<string, any>, action?: string, wide?: boolean, text?: string, save: (values: Record<string, any>) => Promise<unknown>, onClose: () => void}} props
 */
export function FormDialog({ title, fields, values, action, wide, text, save, onClose }) {
  const [form, setForm] = useState(values);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const faults = faultsByField(error);
  const submit = async () => {
    setBusy(true);
    try {
      await save(form);
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} wide=${wide} onClose=${onClose} onSubmit=${submit} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy}>${action ?? t("common.save")}<//>`}>
    ${error && html`<${Fault} error=${error} />`}${text && html`<p class="soft small">${text}</p>`}
    ${fields.map(({ key, kind = "text", ...rest }, index) => {
      const props = { key, fault: faults[key], autofocus: index === 0, ...rest, value: form[key] ?? "", onValue: (/** @type {any} */ value) => setForm((before) => ({ ...before, [key]: value })) };
      if (kind === "select") return html`<${Select} ...${props} />`;
      if (kind === "area") return html`<${TextArea} ...${props} />`;
      if (kind === "check") return html`<${Checkbox} key=${key} label=${rest.label} checked=${Boolean(form[key])} onValue=${props.onValue} />`;
      return html`<${TextField} ...${props} />`;
    })}
  <//>`;
}
