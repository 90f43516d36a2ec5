// The rule of the client for logins by OpenID Connect.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Button, Checkbox, Select, TextField } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Fault, Loaded } from "#ui/states.js";
import { report } from "#ui/toast.js";

/** @typedef {{mode: string, role: string | null, emailDomains: string[], passwordLogin: boolean}} Rule */

const RULE = "/api/v1/clients/me/openid-rule";
const MODES = ["OFF", "LINKED_USERS", "CREATE_USERS"];
const ROLES = ["AGENT", "SUPERVISOR", "DEVELOPER"];

export function Openid() {
  const offer = useLoad((signal) => api.get("/api/v1/sessions/openid", undefined, { signal }), []);
  const load = useLoad((signal) => api.get(RULE, undefined, { signal }), []);
  return html`<div class="section-body"><p class="soft small">${t("administration.openidText")}</p>
    ${offer.data?.enabled === false && html`<div class="banner rounded" role="status"><${Icon} name="info" /><span>${t("administration.openidNotOffered")}</span></div>`}
    <${Loaded} load=${load}>${(/** @type {Rule} */ rule) => html`<${RuleForm} rule=${rule} onSaved=${load.replace} />`}<//></div>`;
}

/** @param {{rule: Rule, onSaved: (rule: Rule) => void}} props */
function RuleForm({ rule, onSaved }) {
  const [form, setForm] = useState(asForm(rule));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  useEffect(() => setForm(asForm(rule)), [rule]);
  const faults = faultsByField(error);
  const set = (/** @type {string} */ field) => (/** @type {any} */ value) => setForm((before) => ({ ...before, [field]: value }));
  const creates = form.mode === "CREATE_USERS";
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const emailDomains = creates ? form.emailDomains.split(/[\s,]+/).filter(Boolean) : [];
    try {
      onSaved(await api.put(RULE, { mode: form.mode, role: creates ? form.role : null, emailDomains, passwordLogin: form.passwordLogin }));
      report(t("administration.openidSaved"));
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  };
  return html`<form class="card stack" onSubmit=${save}>${error && html`<${Fault} error=${error} />`}
    <${Select} label=${t("administration.openidMode")} value=${form.mode} options=${MODES.map((mode) => [mode, t(`administration.openidModes.${mode}`)])} onValue=${set("mode")} />
    ${creates && html`<${Select} label=${t("administration.openidRole")} fault=${faults.role} value=${form.role} options=${ROLES.map((role) => [role, t(`roles.${role}`)])} onValue=${set("role")} />
      <${TextField} label=${t("administration.openidDomains")} hint=${t("administration.openidDomainsHint")} fault=${faults.emailDomains} value=${form.emailDomains} required placeholder="example.com" onValue=${set("emailDomains")} />`}
    <${Checkbox} label=${t("administration.openidPasswords")} checked=${form.passwordLogin} onValue=${set("passwordLogin")} />
    <p class="hint">${t("administration.openidPasswordsHint")}</p>
    <div class="row"><${Button} kind="primary" type="submit" busy=${busy}>${t("common.save")}<//></div></form>`;
}

/** @param {Rule} rule */
function asForm(rule) {
  return { ...rule, role: rule.role ?? "AGENT", emailDomains: rule.emailDomains.join(", ") };
}
