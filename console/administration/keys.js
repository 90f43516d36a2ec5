// The viewer's API key, and the test keys of the client.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api, useKey } from "#app/api.js";
import { t } from "#app/i18n.js";
import { end, hasRole, session } from "#app/session.js";
import { Button } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { FormDialog } from "../developers/form.js";
import { PagedTable } from "../developers/paged.js";
import { attempt, ShownOnce, Time } from "../developers/parts.js";

const TEST_KEYS = "/api/v1/test-keys";

export function Keys() {
  return html`<div class="section-body"><${OwnKey} />${hasRole("ADMIN") && html`<${TestKeys} />`}</div>`;
}

function OwnKey() {
  const [made, setMade] = useState("");
  const replace = async () => {
    if (!(await confirm({ title: t("administration.newKeyTitle"), text: t("administration.newKeyText"), action: t("administration.newKey"), danger: true }))) return;
    await attempt(async () => {
      const { token } = await api.post("/messaging-service/WhatsApp/SystemUsers/generateAPIKey");
      // Without a session of its own the console uses this key.
      if (session.value && !session.value.id) {
        useKey(token, () => end("expired"));
        session.value = { ...session.value, key: token };
      }
      setMade(token);
    });
  };
  return html`<section class="card stack"><h2>${t("administration.ownKey")}</h2><p class="soft small">${t("administration.ownKeyText")}</p>
    ${made && html`<${ShownOnce} label=${t("administration.shownOnce")} value=${made} />`}
    <div><${Button} icon="key" onClick=${replace}>${t("administration.newKey")}<//></div></section>`;
}

function TestKeys() {
  const [turn, setTurn] = useState(0);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState("");
  const add = async (/** @type {Record<string, any>} */ values) => {
    const key = await api.post(TEST_KEYS, values);
    setMade(key.apiKey);
    setTurn(turn + 1);
  };
  const remove = async (/** @type {any} */ key) => {
    if (!(await confirm({ title: t("administration.removeKeyTitle", { name: key.name }), text: t("administration.removeKeyText"), action: t("common.delete"), danger: true }))) return;
    if (await attempt(() => api.remove(`${TEST_KEYS}/${key.id}`), t("administration.keyRemoved"))) setTurn(turn + 1);
  };
  const columns = [
    { key: "name", title: t("administration.name"), cell: (/** @type {any} */ one) => html`<span class="strong">${one.name}</span>` },
    { key: "created", title: t("webhooks.created"), cell: (/** @type {any} */ one) => html`<${Time} time=${one.createdTime} />` },
    { key: "remove", title: t("common.delete"), hideTitle: true, end: true, cell: (/** @type {any} */ one) => html`<${Button} kind="quiet small" icon="trash" label=${t("administration.removeNamed", { name: one.name })} onClick=${() => remove(one)} />` },
  ];
  return html`<section class="card stack"><div class="section-head"><h2>${t("administration.testKeys")}</h2><${Button} icon="plus" onClick=${() => setAdding(true)}>${t("administration.addTestKey")}<//></div>
    <p class="soft small">${t("administration.testKeysText")} <a href="/docs/test-keys" target="_blank" rel="noopener">${t("administration.testNumbers")}</a></p>
    ${made && html`<${ShownOnce} label=${t("administration.shownOnce")} value=${made} />`}
    <${PagedTable} label=${t("administration.testKeys")} path=${TEST_KEYS} columns=${columns} turn=${turn} empty=${{ icon: "key", title: t("administration.noTestKeys") }} />
    ${adding && html`<${FormDialog} title=${t("administration.addTestKey")} values=${{ name: "" }} fields=${[{ key: "name", label: t("administration.name"), hint: t("administration.testKeyHint"), required: true, maxlength: 100 }]}
      action=${t("administration.add")} save=${add} onClose=${() => setAdding(false)} />`}</section>`;
}
