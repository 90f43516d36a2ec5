// A link that opens the webhooks alone, for a developer outside the client.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { fullTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";
import { ShownOnce } from "../developers/parts.js";

/** The address under which the viewer reaches the console: the server knows only that of its configuration. @param {string} url */
function addressOf(url) {
  return `${location.origin}/console${new URL(url, location.href).hash}`;
}

/** @param {{onClose: () => void}} props */
export function HandOverDialog({ onClose }) {
  const [link, setLink] = useState(/** @type {{url: string, expiresAt: string} | null} */ (null));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const make = async () => {
    setBusy(true);
    setError(null);
    try {
      setLink(await api.post("/api/v1/sessions/links"));
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  };
  return html`<${Dialog} title=${t("webhooks.handOver")} onClose=${onClose} onSubmit=${make} foot=${html`
    <${Button} onClick=${onClose}>${t("common.close")}<//><${Button} kind="primary" icon="external" type="submit" busy=${busy}>${t("webhooks.makeLink")}<//>`}>
    <p class="soft small">${t("webhooks.handOverText")}</p>
    ${error && html`<${Fault} error=${error} />`}
    ${link && html`<${ShownOnce} label=${t("webhooks.linkOnce", { time: fullTime(link.expiresAt) })} value=${addressOf(link.url)} />`}
  <//>`;
}
