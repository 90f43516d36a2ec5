// Uploads a component: by drag and drop or by choice of a file, first checked, then stored as a new version.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, upload } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { go } from "#app/router.js";
import { Button, Field, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Fault } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { PLUGINS, sizeOf } from "./facts.js";
import { NoteFacts } from "./origin.js";
import { Notice } from "./parts.js";

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * Takes files that are dropped on an element. If such an element inside it takes the file, this one only removes its highlight.
 * @param {(file: File) => void} onFile
 */
export function useDrop(onFile) {
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  // A field for files takes a file by itself.
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") && !(event.target instanceof HTMLInputElement && event.target.type === "file");
  const listeners = {
    onDragEnter: (/** @type {DragEvent} */ event) => {
      if (!hasFiles(event)) return;
      depth.current += 1;
      setOver(true);
    },
    onDragLeave: (/** @type {DragEvent} */ event) => {
      if (!hasFiles(event)) return;
      depth.current = Math.max(0, depth.current - 1);
      if (!depth.current) setOver(false);
    },
    onDragOver: (/** @type {DragEvent} */ event) => hasFiles(event) && event.preventDefault(),
    onDrop: (/** @type {DragEvent} */ event) => {
      if (!hasFiles(event)) return;
      const taken = event.defaultPrevented;
      event.preventDefault();
      depth.current = 0;
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file && !taken) onFile(file);
    },
  };
  return { over, listeners };
}

/** A name of a plugin from the name of a file. @param {string} file */
function nameFrom(file) {
  return file.replace(/\.wasm$/i, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 63);
}

/** @param {{name?: string, file?: File, onClose: () => void, onDone: () => void}} props */
export function UploadDialog({ name: fixed, file: given, onClose, onDone }) {
  const [file, setFile] = useState(given);
  const [name, setName] = useState(fixed ?? (given ? nameFrom(given.name) : ""));
  const [checked, setChecked] = useState(/** @type {any} */ (null));
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [signature, setSignature] = useState(/** @type {File | undefined} */ (undefined));
  const [share, setShare] = useState(-1);
  const [busy, setBusy] = useState(false);
  const chooser = useRef(/** @type {HTMLInputElement | null} */ (null));
  const take = (/** @type {File} */ next) => {
    setFile(next);
    if (!fixed) setName(nameFrom(next.name));
  };
  const dropping = useDrop(take);
  // A drop on the page behind the dialog.
  useEffect(() => given && take(given), [given]);
  useEffect(() => {
    if (!file) return undefined;
    const control = new AbortController();
    setChecked(null);
    setFault(null);
    setBusy(true);
    api.post(`${PLUGINS}/check`, file, { headers: { "content-type": "application/wasm" }, signal: control.signal })
      .then(setChecked, (error) => !control.signal.aborted && setFault(error))
      .finally(() => !control.signal.aborted && setBusy(false));
    return () => control.abort();
  }, [file]);
  const send = async () => {
    if (!file || !NAME.test(name)) return;
    const form = new FormData();
    setBusy(true);
    setFault(null);
    try {
      form.append("file", file);
      if (signature) form.append("signature", await signature.text());
      const stored = await upload(`${PLUGINS}?name=${encodeURIComponent(name)}`, form, setShare);
      report(t("plugins.uploaded", { name, version: stored.version }));
      onDone();
      go(`/plugins/${encodeURIComponent(name)}`);
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
      setShare(-1);
    }
  };
  const ready = file && checked && NAME.test(name);
  return html`<${Dialog} title=${fixed ? t("plugins.newVersionOf", { name: fixed }) : t("plugins.upload")} onClose=${onClose} onSubmit=${send} foot=${html`
      <${Button} onClick=${onClose}>${t("common.cancel")}<//>
      <${Button} kind="primary" type="submit" icon="upload" busy=${busy} disabled=${!ready}>${t("plugins.upload")}<//>`}>
    <div class=${`drop-zone ${dropping.over ? "over" : ""}`} ...${dropping.listeners}>
      <${Icon} name=${file ? "document" : "upload"} size="large" />
      ${file ? html`<strong class="clip">${file.name}</strong><span class="small soft">${sizeOf(file.size)}</span>` : html`<span>${t("plugins.dropZone")}</span>`}
      <input ref=${chooser} type="file" accept=".wasm,application/wasm" class="hidden-text" tabindex="-1" aria-hidden="true"
        onClick=${(/** @type {any} */ event) => (event.currentTarget.value = "")} onChange=${(/** @type {any} */ event) => event.currentTarget.files[0] && take(event.currentTarget.files[0])} />
      <${Button} kind="small" onClick=${() => chooser.current?.click()}>${file ? t("plugins.otherFile") : t("plugins.chooseFile")}<//>
    </div>
    ${!fixed && html`<${TextField} label=${t("plugins.name")} hint=${t("plugins.nameHint")} value=${name} onValue=${setName} spellcheck=${false} autocomplete="off"
      fault=${name && !NAME.test(name) ? t("plugins.nameFault") : undefined} />`}
    <${Field} label=${t("plugins.signature")} hint=${t("plugins.signatureHint")}>${(/** @type {object} */ joined) => html`<input class="input" type="file" accept=".minisig"
      onChange=${(/** @type {any} */ event) => setSignature(event.currentTarget.files[0])} ...${joined} />`}<//>
    ${busy && share < 0 && html`<p class="small soft" role="status">${t("plugins.checking")}</p>`}
    ${share >= 0 && html`<progress class="bar" max="1" value=${share} aria-label=${t("plugins.uploading")}></progress>`}
    ${fault && html`<${Findings} error=${fault} />`}
    ${checked && html`<${Notice} icon="check">
      <strong>${t("plugins.checkPassed")}</strong>
      <dl class="facts"><dt>${t("plugins.world")}</dt><dd>${t(`plugins.world_${checked.world}`)}</dd>
        <dt>${t("plugins.interface")}</dt><dd>${checked.apiVersion}</dd>
        <dt>${t("plugins.hostFunctions")}</dt><dd>${hostFunctions(checked.imports) || t("common.none")}</dd>
        <dt>${t("plugins.configuration")}</dt><dd>${checked.configSchema ? t("plugins.hasSchema") : t("plugins.noSchema")}</dd>
        <${NoteFacts} notes=${checked.notes} />
        <dt>SHA-256</dt><dd><code class="tiny">${checked.sha256}</code></dd></dl><//>`}
  <//>`;
}

/** @param {string[]} imports */
export function hostFunctions(imports) {
  return imports.map((one) => /^patchbay:plugin\/([a-z-]+)@/.exec(one)?.[1]).filter((one) => one && one !== "types").join(", ");
}

/** The findings of the check, one per line. @param {{error: unknown}} props */
function Findings({ error }) {
  if (!(error instanceof ApiError) || !error.details.length) return html`<${Fault} error=${error} />`;
  return html`<div class="banner danger rounded" role="alert"><${Icon} name="alert" /><div class="grow stack tight">
    <strong>${t("plugins.findings", { count: error.details.length })}</strong>
    <ul class="findings">${error.details.map((one, index) => html`<li key=${index} class="pre">${one.field === "signature" ? `${t("plugins.signature")} ` : ""}${one.message}</li>`)}</ul></div></div>`;
}
