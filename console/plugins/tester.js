// Talks to any version of a plugin without effects.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { Button, Select, TextArea } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Fault } from "#ui/states.js";
import { addressOf, hasSecrets, milliseconds, sizeOf, versionName } from "./facts.js";
import { Code, Notice } from "./parts.js";
import { JsonField } from "./schema-form.js";
import { Talk } from "./talk.js";

/** @typedef {import("./types.js").Plugin} Plugin */

/** @param {{plugin: Plugin}} props */
export default function Tester({ plugin }) {
  const versions = plugin.source === "uploaded" ? plugin.versions ?? [] : [];
  const [version, setVersion] = useState(String(versions[0]?.version ?? ""));
  const live = (plugin.activations ?? []).find((one) => one.mode === "live");
  const [config, setConfig] = useState(/** @type {any} */ (live && !hasSecrets(live) ? live.config : undefined));
  const [wrong, setWrong] = useState(false);
  const [last, setLast] = useState(/** @type {any} */ (null));
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const invoke = async (/** @type {any} */ event, /** @type {any} */ session) => {
    if (wrong) return null;
    setBusy(true);
    setFault(null);
    try {
      const answer = await api.post(addressOf(plugin.name, "/invoke"), { ...(version ? { version: Number(version) } : {}), event, ...(session ? { session } : {}), ...(config === undefined ? {} : { config }) });
      setLast(answer);
      return answer;
    } catch (error) {
      setFault(error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const side = html`<div class="stack">
    ${versions.length > 0 && html`<${Select} label=${t("plugins.version")} value=${version} options=${versions.map((one) => [String(one.version), versionName(one.version)])} onValue=${setVersion} />`}
    <${JsonField} label=${t("plugins.configurationJson")} hint=${t("plugins.testerConfigHint")} value=${config} onValue=${setConfig} onWrong=${setWrong} />
    ${last && html`<dl class="facts" aria-label=${t("plugins.lastCallTitle")}><dt>${t("plugins.duration")}</dt><dd>${milliseconds(last.durationMicros)}</dd>
      <dt>${t("plugins.processor")}</dt><dd>${milliseconds(last.processorMicros)}</dd><dt>${t("plugins.memory")}</dt><dd>${sizeOf(last.peakMemoryBytes)}</dd></dl>`}
    ${fault && html`<${Fault} error=${fault} />`}</div>`;
  return html`<div class="stack"><${Notice}>${t("plugins.testerHint")}<//>
    ${plugin.world === "chatbot" ? html`<${Talk} key=${version} invoke=${invoke} busy=${busy} side=${side} />` : html`<${OneCall} invoke=${invoke} busy=${busy} side=${side} last=${last} />`}</div>`;
}

/** One call of a plugin that is no chatbot. @param {{invoke: (event: any) => Promise<any>, busy: boolean, side: any, last: any}} props */
function OneCall({ invoke, busy, side, last }) {
  const [text, setText] = useState("{}");
  const [wrong, setWrong] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const input = JSON.parse(text || "{}");
      setWrong("");
      await invoke(input);
    } catch (error) {
      setWrong(t("plugins.badJson", { message: /** @type {Error} */ (error).message }));
    }
  };
  return html`<div class="tester"><form class="card stack" onSubmit=${send}>
      <${TextArea} label=${t("plugins.input")} hint=${t("plugins.inputHint")} value=${text} onValue=${setText} fault=${wrong} class="mono" rows="8" spellcheck=${false} />
      <div><${Button} kind="primary" type="submit" icon="play" busy=${busy}>${t("plugins.callNow")}<//></div>
      ${last && html`<h3><${Icon} name="arrowRight" size="small" />${t("plugins.answer")}</h3><${Code} value=${last} label=${t("plugins.answer")} />`}</form>
    <aside aria-label=${t("plugins.testerSettings")}>${side}</aside></div>`;
}
