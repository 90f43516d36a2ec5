// A secret in a configuration: a value, or the name of a shared secret.
import { html } from "htm/preact";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Checkbox, Select, TextField } from "#ui/controls.js";
import { SECRETS } from "./secrets.js";

const REFERENCE = "$secret";

/** @param {{label: string, hint?: string, fault?: string, value: any, required?: boolean, maxlength?: number, onValue: (value: any) => void}} props */
export function SecretField({ hint, value, onValue, ...rest }) {
  const shared = typeof value === "object" && value !== null && REFERENCE in value;
  return html`<div class="stack tight">
    ${shared
      ? html`<${SharedName} ...${rest} hint=${hint} value=${value[REFERENCE]} onValue=${(/** @type {string} */ next) => onValue({ [REFERENCE]: next })} />`
      : html`<${TextField} ...${rest} value=${value ?? ""} onValue=${onValue} type="password" autocomplete="new-password" hint=${[hint, t("plugins.secretHint")].filter(Boolean).join(" ")} />`}
    <${Checkbox} label=${t("plugins.useShared")} checked=${shared} onValue=${(/** @type {boolean} */ next) => onValue(next ? { [REFERENCE]: "" } : "")} /></div>`;
}

/** @param {{label: string, hint?: string, fault?: string, value: string, required?: boolean, onValue: (name: string) => void}} props */
function SharedName({ label, hint, fault, value, required = false, onValue }) {
  const load = useLoad((signal) => api.get(SECRETS, {}, { signal }), []);
  const names = new Set([...(load.data?.secrets ?? []).map((/** @type {{name: string}} */ one) => one.name), ...(value ? [value] : [])]);
  return html`<${Select} ...${{ label, hint, fault, required, value, onValue }} options=${[["", t("plugins.notSet")], ...[...names].map((one) => [one, one])]} />`;
}
