// The login of operators: a key, which belongs to no client.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, describe } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { Logo } from "#app/logo.js";
import { ended, logInAsOperator } from "#app/session.js";
import { Button, TextField } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Prose } from "#ui/prose.js";

/** @param {{onUser: () => void}} props */
export function OperatorLogin({ onUser }) {
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  // The attribute has no effect after the button of the other login had the focus.
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setFault("");
    try {
      await logInAsOperator(key.trim());
    } catch (error) {
      setFault(explain(error));
      setBusy(false);
    }
  };
  return html`<main class="login"><form ref=${form} class="login-card stack loose" onSubmit=${submit}>
    <div class="stack tight"><${Logo} /><h1>${t("login.title")}</h1><p class="soft small"><${Prose} text=${t("login.operatorText")} /></p></div>
    ${ended && html`<div class="banner rounded" role="status"><${Icon} name="info" /><span>${t(`login.${ended}`)}</span></div>`}
    <${TextField} label=${t("login.operatorKey")} value=${key} onValue=${setKey} type="password" required autocomplete="off" />
    ${fault && html`<div class="banner danger rounded" role="alert"><${Icon} name="alert" /><span>${fault}</span></div>`}
    <${Button} kind="primary wide" type="submit" busy=${busy}>${busy ? t("login.busy") : t("login.action")}<//>
    <${Button} kind="quiet wide small" onClick=${onUser}>${t("login.asClient")}<//>
  </form></main>`;
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof ApiError && error.status === 401) return t("login.operatorWrong");
  const { title, cure } = describe(error);
  return cure ? `${title}: ${cure}` : title;
}
