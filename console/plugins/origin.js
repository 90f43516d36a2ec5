// The origin of a version: who uploaded it, its signature, its source, and the notes of its author.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { fullTime } from "#app/time.js";
import { Button, Tag } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { sizeOf, versionName } from "./facts.js";

/** @typedef {import("./types.js").Notes} Notes */
/** @typedef {import("./types.js").Version} Version */

/** The signature in short. @param {{version: Version}} props */
export function SignatureTag({ version }) {
  const key = version.signature?.key;
  return key ? html`<${Tag} tone="success" icon="key" title=${t("plugins.signedWith", { key })}>${key}<//>` : html`<span class="faint">${t("plugins.unsigned")}</span>`;
}

/** The licences and tools of a component as entries of a list of facts. @param {{notes: Notes}} props */
export function NoteFacts({ notes }) {
  const tools = (notes.tools ?? []).map((one) => `${one.name} ${one.version}`.trim());
  return html`<dt>${t("plugins.licenses")}</dt><dd>${notes.licenses?.join(", ") || t("common.none")}</dd>
    <dt>${t("plugins.tools")}</dt><dd>${tools.join(", ") || t("common.none")}</dd>`;
}

/** @param {{version: Version, user: string, onClose: () => void}} props */
export function OriginDialog({ version: one, user, onClose }) {
  const { signature, origin } = one;
  const fact = (/** @type {string} */ name, /** @type {any} */ value) => value && html`<dt>${t(`plugins.${name}`)}</dt><dd>${value}</dd>`;
  return html`<${Dialog} title=${t("plugins.originOf", { version: versionName(one.version) })} wide=${true} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>${t("common.close")}<//>`}>
    <dl class="facts">
      <dt>${t("plugins.uploadedTime")}</dt><dd>${fullTime(one.createdTime)} <span class="soft">${user}</span></dd>
      <dt>SHA-256</dt><dd><code class="tiny">${one.sha256}</code></dd>
      <dt>${t("plugins.size")}</dt><dd>${sizeOf(one.size)}</dd>
      <dt>${t("plugins.signature")}</dt><dd>${signature ? t("plugins.signedWith", { key: `${signature.key} (${signature.keyId})` }) : t("plugins.unsigned")}</dd>
      ${signature && html`${fact("keyHash", html`<code class="tiny">${signature.fingerprint}</code>`)}${fact("signedComment", signature.comment)}`}
      ${fact("registry", origin?.source?.reference)}
      ${origin && html`<${NoteFacts} notes=${origin.notes} />${["description", "authors", "version", "revision", "source", "homepage"].map((name) => fact(`note_${name}`, /** @type {any} */ (origin.notes)[name]))}`}
      <dt>${t("plugins.imports")}</dt><dd><ul>${one.imports.map((name) => html`<li key=${name}><code class="tiny">${name}</code></li>`)}</ul></dd>
    </dl>
    ${origin && html`<p class="small soft">${t("plugins.notesHint")}</p>`}<//>`;
}
