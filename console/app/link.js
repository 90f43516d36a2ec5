// The page of a link to the webhooks of a client. It opens a session for a developer outside the client, once.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { ApiError, describe } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { Logo } from "#app/logo.js";
import { go } from "#app/router.js";
import { logInByLink } from "#app/session.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";

function read() {
  return /^#link=([0-9a-f-]{36})$/i.exec(location.hash)?.[1] ?? "";
}

/** The token of the link that led here, until it is used. */
export const linkToken = signal(read());
addEventListener("hashchange", () => {
  if (read()) linkToken.value = read();
});

/** Takes the token out of the address. @param {string} to */
function leave(to) {
  linkToken.value = "";
  history.replaceState(null, "", location.pathname);
  go(to, { replace: true });
}

// The viewer opens it by a button, so that a program that looks at links does not use it up.
export function LinkEntrance() {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const open = async () => {
    setBusy(true);
    setFault("");
    try {
      await logInByLink(linkToken.peek());
      leave("/webhooks");
    } catch (error) {
      setFault(explain(error));
      setBusy(false);
    }
  };
  return html`<main class="login"><div class="login-card stack loose">
    <div class="stack tight"><${Logo} /><h1>${t("login.linkTitle")}</h1><p class="soft small">${t("login.linkText")}</p></div>
    ${fault && html`<div class="banner danger rounded" role="alert"><${Icon} name="alert" /><span>${fault}</span></div>`}
    <${Button} kind="primary wide" icon="webhook" busy=${busy} onClick=${open}>${t("login.linkOpen")}<//>
    <${Button} kind="quiet wide small" onClick=${() => leave("/")}>${t("login.linkLeave")}<//>
  </div></main>`;
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof ApiError && error.status === 404) return t("login.linkUsed");
  const { title, cure } = describe(error);
  return cure ? `${title}: ${cure}` : title;
}
