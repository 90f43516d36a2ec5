// The choice of a template.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { Button, SearchField, Tag } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { attempt } from "../developers/parts.js";
import { isSendable, part } from "../inbox/templates.js";

/** @typedef {import("../inbox/templates.js").Template} Template */

/** @param {{chosen: Template | null, onChoose: (template: Template | null) => void}} props */
export function TemplateStep({ chosen, onChoose }) {
  const [text, setText] = useState("");
  const wanted = useSettled(text.trim());
  const load = useLoad((signal) => api.get("/messaging-service/WhatsApp/templates", { size: 100, searchString: wanted }, { signal }), [wanted]);
  const sync = async () => {
    if (await attempt(() => api.post("/messaging-service/WhatsApp/templates/sync"), t("sends.synced"))) load.reload();
  };
  if (chosen) {
    return html`<div class="row card chosen"><span class="grow stack tight"><span class="strong">${chosen.name}</span><span class="soft small clip">${part(chosen, "BODY")?.text}</span></span>
      <${Button} onClick=${() => onChoose(null)}>${t("templates.other")}<//></div>`;
  }
  return html`<div class="row"><${SearchField} label=${t("templates.search")} value=${text} onValue=${setText} autofocus /><${Button} icon="refresh" label=${t("sends.sync")} onClick=${sync} /></div>
    <${Loaded} load=${load}>${(/** @type {{content: Template[]}} */ page) => page.content.length
      ? html`<ul class="list card template-choice">${page.content.map((one) => html`<li key=${one.id}><button type="button" class="menu-item" disabled=${!isSendable(one)} onClick=${() => onChoose(one)}>
          <span class="grow stack tight"><span class="row wrap"><span class="strong">${one.name}</span><${Tag}>${one.language}<//><${Tag} tone="info">${one.category.toLowerCase()}<//>
            ${one.status !== "APPROVED" && html`<${Tag} tone="warning">${one.status.toLowerCase()}<//>`}${part(one, "CAROUSEL") && html`<${Tag}>${t("sends.carousel")}<//>`}</span>
          <span class="soft small clip">${part(one, "BODY")?.text}</span></span></button></li>`)}</ul>`
      : html`<${Empty} icon="template" title=${t("templates.none")} />`}<//>`;
}
