// The page before the session: client, e-mail and password.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, describe } from "#app/faults.js";
import { LANGUAGES, language, t, useLanguage } from "#app/i18n.js";
import { Logo } from "#app/logo.js";
import { OpenidButton } from "#app/openid.js";
import { prefer } from "#app/preferences.js";
import { ended, logIn, replacePassword } from "#app/session.js";
import { Button, Select, TextField } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";

const LAST_CLIENT = "patchbay.client";

/** `fault` is that of a login that ended before this page. @param {{fault?: string, onOperator: () => void}} props */
export function Login({ fault: before = "", onOperator }) {
  const [form, setForm] = useState({ clientRef: localStorage.getItem(LAST_CLIENT) ?? "", email: "", password: "" });
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState(before);
  // A temporary password opens no session: the user chooses another one here.
  const [next, setNext] = useState(/** @type {string | null} */ (null));
  useEffect(() => {
    if (next !== null) /** @type {HTMLElement | null} */ (document.querySelector("input[autocomplete=new-password]"))?.focus();
  }, [next === null]);
  const set = (/** @type {string} */ field) => (/** @type {string} */ value) => {
    setForm((before) => ({ ...before, [field]: value }));
    setNext(null);
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setFault("");
    try {
      const login = { ...form, clientRef: form.clientRef.trim(), email: form.email.trim() };
      if (next !== null) {
        await replacePassword(login, next);
        login.password = next;
        set("password")(next);
      }
      await logIn(login);
      localStorage.setItem(LAST_CLIENT, form.clientRef.trim());
    } catch (error) {
      if (next === null && isTemporary(error)) setNext("");
      else setFault(explain(error));
      setBusy(false);
    }
  };
  const choose = (/** @type {string} */ name) => {
    prefer({ language: name });
    useLanguage(name);
  };
  return html`<main class="login"><form class="login-card stack loose" onSubmit=${submit}>
    <div class="stack tight"><${Logo} /><h1>${t("login.title")}</h1><p class="soft small">${t("login.text")}</p></div>
    ${ended && html`<div class="banner rounded" role="status"><${Icon} name="info" /><span>${t(`login.${ended}`)}</span></div>`}
    <div class="stack">
      <${TextField} label=${t("login.client")} value=${form.clientRef} onValue=${set("clientRef")} required autocomplete="organization" autocapitalize="none" spellcheck=${false} autofocus=${!form.clientRef} />
      <${TextField} label=${t("login.email")} value=${form.email} onValue=${set("email")} type="email" required autocomplete="username" autofocus=${Boolean(form.clientRef)} />
      <${TextField} label=${t("login.password")} value=${form.password} onValue=${set("password")} type="password" required autocomplete="current-password" />
      ${next !== null && html`<div class="banner rounded" role="status"><${Icon} name="info" /><span>${t("login.temporary")}</span></div>
        <${TextField} label=${t("account.next")} hint=${t("account.nextHint")} value=${next} onValue=${setNext} type="password" required minlength="8" autocomplete="new-password" />`}
    </div>
    ${fault && html`<div class="banner danger rounded" role="alert"><${Icon} name="alert" /><span>${fault}</span></div>`}
    <${Button} kind="primary wide" type="submit" busy=${busy}>${busy ? t("login.busy") : t("login.action")}<//>
    <${OpenidButton} clientRef=${form.clientRef.trim()} onFault=${setFault} />
    <${Button} kind="quiet wide small" onClick=${onOperator}>${t("login.asOperator")}<//>
    <${Select} label=${t("shell.language")} hideLabel value=${language()} options=${Object.entries(LANGUAGES)} onValue=${choose} />
  </form></main>`;
}

/** Whether the password is right, but temporary. @param {unknown} error */
function isTemporary(error) {
  return error instanceof ApiError && error.error === "Temporary password";
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof ApiError && error.status === 401) return t("login.wrong");
  const { title, cure } = describe(error);
  return cure ? `${title}: ${cure}` : title;
}
