// The login by OpenID Connect: the way to the provider, and the way back. A secret binds the login to this tab.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { describe } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { Logo } from "#app/logo.js";
import { go, path, query } from "#app/router.js";
import { logInByOpenid } from "#app/session.js";
import { Button } from "#ui/controls.js";

const WAITING = "patchbay.openid";
const LOGINS = "/api/v1/sessions/openid";
const RETURN_PAGE = "/openid";

/** Whether this page is the way back from the provider. */
export function isReturning() {
  return path.value === RETURN_PAGE;
}

/** A button that leads to the provider, if the server has one. @param {{clientRef: string, onFault: (text: string) => void}} props */
export function OpenidButton({ clientRef, onFault }) {
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    api.get(LOGINS, undefined, { anonymous: true }).then(
      (offer) => setName(offer.name ?? ""),
      () => {},
    );
  }, []);
  const leave = async () => {
    if (!clientRef) return onFault(t("login.clientNeeded"));
    setBusy(true);
    onFault("");
    try {
      const { url, secret } = await api.post(`${LOGINS}/begin`, { clientRef }, { anonymous: true });
      sessionStorage.setItem(WAITING, JSON.stringify({ secret, to: isReturning() ? "/" : path.value }));
      location.assign(url);
    } catch (error) {
      onFault(explain(error));
      setBusy(false);
    }
  };
  return name && html`<${Button} kind="wide" busy=${busy} onClick=${leave}>${t("login.openid", { name })}<//>`;
}

/** Ends a login after the way back. @param {{onFault: (text: string) => void}} props */
export function OpenidReturn({ onFault }) {
  useEffect(() => {
    finish().catch((error) => onFault(explain(error)));
  }, []);
  return html`<main class="login"><div class="login-card stack loose" role="status" aria-busy="true"><${Logo} /><h1>${t("login.busy")}</h1></div></main>`;
}

async function finish() {
  const { code, state, error } = query.value;
  const { secret = "", to = "/" } = JSON.parse(sessionStorage.getItem(WAITING) ?? "{}");
  sessionStorage.removeItem(WAITING);
  // The code leaves the address bar and the history.
  go(to, { replace: true });
  if (error) throw new Error(error === "access_denied" ? t("login.openidDenied") : t("login.openidFailed"));
  if (!code || !state || !secret) throw new Error(t("login.openidElsewhere"));
  await logInByOpenid({ code, state, secret });
}

/** @param {unknown} error */
function explain(error) {
  const { cure } = describe(error);
  return cure.replace(/^Error: /, "");
}
