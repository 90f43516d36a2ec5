// Sends the failed deliveries of a period again.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button, Select, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { hooks, TYPES } from "./calls.js";

const DAY_MS = 86_400_000;

/** A time as the field of the browser has it, in the zone of the viewer. @param {Date} time */
export function fieldTime(time) {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param {{config: {id: string}, type: string, onClose: () => void}} props */
export function ResendDialog({ config, type, onClose }) {
  const [since, setSince] = useState(fieldTime(new Date(Date.now() - DAY_MS)));
  const [until, setUntil] = useState("");
  const [kind, setKind] = useState(type);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const submit = async () => {
    setBusy(true);
    try {
      const { resent, more } = await hooks.resendFailed(config.id, { since: new Date(since).toISOString(), until: until ? new Date(until).toISOString() : undefined, webhookType: kind || undefined });
      report(t(more ? "webhooks.resentMore" : "webhooks.resent", { count: resent }));
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t("webhooks.resendTitle")} onClose=${onClose} onSubmit=${submit} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" icon="refresh" type="submit" busy=${busy}>${t("webhooks.resendAll")}<//>`}>
    ${error && html`<${Fault} error=${error} />`}
    <p class="soft small">${t("webhooks.resendText")}</p>
    <${Select} label=${t("webhooks.webhook")} value=${kind} onValue=${setKind} options=${[["", t("webhooks.all")], ...TYPES.map(([one]) => [one, t(`webhooks.types.${one}`)])]} />
    <${TextField} label=${t("webhooks.since")} type="datetime-local" required value=${since} onValue=${setSince} />
    <${TextField} label=${t("webhooks.until")} hint=${t("webhooks.untilHint")} type="datetime-local" value=${until} onValue=${setUntil} />
  <//>`;
}
