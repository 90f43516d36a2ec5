// Files on their way into a message: a preview, an upload with its progress, then the address that a message names.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { upload } from "#app/api.js";
import { describe, oneLine } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { fileSize } from "#app/numbers.js";
import { Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";

/** @typedef {{id: string, file: File, preview: string, share: number, mediaUrl?: string, mediaType?: string, fault?: unknown, control: AbortController}} Attachment */

/** The files of one composer. */
export class Attachments {
  constructor() {
    /** @type {import("@preact/signals").Signal<Attachment[]>} */
    this.files = signal([]);
  }

  /** Adds files and begins their uploads. @param {Iterable<File>} files */
  add(files) {
    for (const file of files) {
      const id = crypto.randomUUID();
      const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : "";
      /** @type {Attachment} */
      const attachment = { id, file, preview, share: 0, control: new AbortController() };
      this.files.value = [...this.files.peek(), attachment];
      void this.send(attachment);
    }
  }

  /** @param {Attachment} attachment */
  async send({ id, file, control }) {
    const form = new FormData();
    form.append("file", file, file.name);
    try {
      const stored = await upload("/chat-service/api/v2/messages/media", form, (share) => this.change(id, { share }), control.signal);
      this.change(id, { share: 1, mediaUrl: stored.mediaUrl, mediaType: stored.mediaType });
    } catch (fault) {
      if (!control.signal.aborted) this.change(id, { fault });
    }
  }

  /** @param {string} id @param {Partial<Attachment>} change */
  change(id, change) {
    this.files.value = this.files.peek().map((one) => (one.id === id ? { ...one, ...change } : one));
  }

  /** @param {Attachment} attachment */
  remove(attachment) {
    attachment.control.abort();
    if (attachment.preview) URL.revokeObjectURL(attachment.preview);
    this.files.value = this.files.peek().filter((one) => one.id !== attachment.id);
  }

  /** Takes the uploaded files out. @returns {Attachment[]} */
  takeReady() {
    const ready = this.files.peek().filter((one) => one.mediaUrl);
    for (const one of ready) this.remove(one);
    return ready;
  }

  get busy() {
    return this.files.value.some((one) => !one.mediaUrl && !one.fault);
  }
}

/** @type {Map<string, Attachments>} */
const kept = new Map();

/** The files of a chat. They stay while the viewer looks at other chats. @param {string} chat @returns {Attachments} */
export function attachmentsOf(chat) {
  for (const [other, { files }] of kept) if (other !== chat && !files.peek().length) kept.delete(other);
  const found = kept.get(chat) ?? new Attachments();
  kept.set(chat, found);
  return found;
}

/** @param {{attachments: Attachments}} props */
export function AttachmentList({ attachments }) {
  const files = attachments.files.value;
  if (!files.length) return null;
  return html`<ul class="attachments">${files.map((one) => html`<li key=${one.id} class=${one.fault ? "failed" : ""}>
    ${one.preview ? html`<img src=${one.preview} alt="" />` : html`<${Icon} name="document" size="large" />`}
    <span class="grow stack tight"><span class="clip small">${one.file.name}</span>
      ${one.fault ? html`<span class="tiny danger-text">${oneLine(describe(one.fault).title, describe(one.fault).cure)}</span>`
        : one.mediaUrl ? html`<span class="tiny soft">${fileSize(one.file.size)}</span>`
        : html`<progress class="bar" max="1" value=${one.share} aria-label=${t("inbox.uploading", { name: one.file.name })}></progress>`}</span>
    <${Button} kind="quiet small" icon="close" label=${t("inbox.removeFile", { name: one.file.name })} onClick=${() => attachments.remove(one)} /></li>`)}</ul>`;
}
