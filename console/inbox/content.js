// The content of a message: text as text, files by their type, a place, a quote.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Button } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";

/** @typedef {import("./types.js").Message} Message */

const LINK = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/;

/** A text in which addresses are links. Nothing in it becomes markup. @param {{text: string}} props */
export function Text({ text }) {
  const parts = text.split(LINK);
  return html`<span class="pre" dir="auto">${parts.map((part, index) => (index % 2 ? html`<a key=${index} href=${part} target="_blank" rel="noopener noreferrer nofollow">${part}</a>` : part))}</span>`;
}

/** @param {{message: Message}} props */
export function Content({ message }) {
  if (message.deleted) return html`<em class="soft">${t("inbox.deleted")}</em>`;
  return html`${message.referral && html`<${Referral} referral=${message.referral} />`}
    ${message.mediaUrl && html`<${File} message=${message} />`}
    ${message.contentType === "LOCATION" && message.latitude !== undefined && html`<${Place} message=${message} />`}
    ${message.text ? html`<${Text} text=${message.text} />` : !message.mediaUrl && message.contentType !== "LOCATION" && html`<em class="soft">${t(`content.${message.contentType}`)}</em>`}`;
}

/** @param {{message: Message}} props */
function File({ message }) {
  const { mediaUrl = "", contentType, fileExtension } = message;
  const extension = (fileExtension ?? "").replace(".", "").toLowerCase();
  const kind = contentType === "MEDIA" || contentType === "FILE" ? kindOf(extension) : contentType;
  if (kind === "IMAGE") return html`<${Picture} url=${mediaUrl} text=${message.text ?? ""} />`;
  if (kind === "VIDEO") return html`<video class="media" src=${mediaUrl} controls preload="metadata" aria-label=${t("content.VIDEO")}></video>`;
  if (kind === "AUDIO" || kind === "VOICE") return html`<audio class="sound" src=${mediaUrl} controls preload="metadata" aria-label=${t(`content.${kind}`)}></audio>`;
  return html`<a class="file" href=${mediaUrl} target="_blank" rel="noopener noreferrer" download><${Icon} name="document" size="large" />
    <span class="stack tight"><span class="strong">${t("content.DOCUMENT")}</span><span class="tiny soft">${extension.toUpperCase() || t("inbox.file")}</span></span><${Icon} name="download" /></a>`;
}

/** @param {string} extension */
function kindOf(extension) {
  if (["jpg", "jpeg", "png", "webp", "gif"].includes(extension)) return "IMAGE";
  if (["mp4", "3gp", "webm"].includes(extension)) return "VIDEO";
  return ["ogg", "opus", "mp3", "m4a", "aac", "amr", "wav"].includes(extension) ? "AUDIO" : "DOCUMENT";
}

/** @param {{url: string, text: string}} props */
function Picture({ url, text }) {
  const [large, setLarge] = useState(false);
  const [broken, setBroken] = useState(false);
  if (broken) return html`<a class="file" href=${url} target="_blank" rel="noopener noreferrer"><${Icon} name="image" size="large" /><span>${t("content.IMAGE")}</span><${Icon} name="external" /></a>`;
  return html`<button type="button" class="picture" onClick=${() => setLarge(true)} aria-label=${t("inbox.enlarge")}>
      <img class="media" src=${url} alt=${text || t("content.IMAGE")} loading="lazy" onError=${() => setBroken(true)} /></button>
    ${large && html`<${Dialog} title=${t("content.IMAGE")} wide=${true} onClose=${() => setLarge(false)} foot=${html`<a class="button" href=${url} target="_blank" rel="noopener noreferrer" download>${t("inbox.download")}</a>
      <${Button} kind="primary" onClick=${() => setLarge(false)}>${t("common.close")}<//>`}><img class="large" src=${url} alt=${text || t("content.IMAGE")} /><//>`}`;
}

/** @param {{message: Message}} props */
function Place({ message }) {
  const at = `${message.latitude}, ${message.longitude}`;
  const address = `https://www.openstreetmap.org/?mlat=${message.latitude}&mlon=${message.longitude}#map=16/${message.latitude}/${message.longitude}`;
  return html`<a class="file" href=${address} target="_blank" rel="noopener noreferrer"><${Icon} name="pin" size="large" />
    <span class="stack tight"><span class="strong">${t("content.LOCATION")}</span><span class="tiny soft number">${at}</span></span><${Icon} name="external" /></a>`;
}

/** @param {{referral: NonNullable<Message["referral"]>}} props */
function Referral({ referral }) {
  const text = [referral.headline, referral.body, referral.ref].filter(Boolean).join(" · ");
  return html`<div class="quote"><span class="tiny strong">${t("inbox.referral")}</span><span class="pre">${text || referral.sourceUrl}</span></div>`;
}
