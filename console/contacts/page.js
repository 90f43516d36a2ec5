// The address book: customers with the names that the client gave them.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { useLoad, useSearchText } from "#app/load.js";
import { go, query } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Avatar, Button, SearchField } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, Table, useFilledPage } from "#ui/table.js";
import { ContactDialog, NewContactDialog } from "./dialogs.js";
import { CONTACTS } from "./facts.js";
import { ImportDialog } from "./import.js";

/** @typedef {import("./facts.js").ContactRecord} ContactRecord */

const SIZE = 50;

export default function Contacts() {
  const search = query.value.q ?? "";
  const page = Number(query.value.page ?? 0) || 0;
  const [text, setText] = useSearchText(search, (q) => go("/contacts", { search: { q }, replace: true }));
  const [dialog, setDialog] = useState(/** @type {"" | "new" | "import" | ContactRecord} */ (""));
  const load = useLoad((signal) => api.get(CONTACTS, { page, size: SIZE, search }, { signal }), [search, page]);
  const show = (/** @type {number} */ to, replace = false) => go("/contacts", { search: { q: search, page: String(to) }, replace });
  useFilledPage(load.data, (to) => show(to, true));
  useShortcuts([
    { keys: "/", text: t("contacts.search"), group: t("nav.contacts"), run: () => document.getElementById("contact-search")?.focus() },
    { keys: "n", text: t("contacts.add"), group: t("nav.contacts"), run: () => setDialog("new") },
  ]);
  const close = () => {
    setDialog("");
    load.reload();
  };
  const columns = [
    { key: "name", title: t("contacts.name"), cell: (/** @type {ContactRecord} */ one) => html`<span class="row"><${Avatar} name=${one.fullName} small=${true} />${one.fullName}</span>` },
    { key: "phone", title: t("contacts.phone"), cell: (/** @type {ContactRecord} */ one) => html`<span class="number">${one.phoneNumber ? (/^\d+$/.test(one.phoneNumber) ? `+${one.phoneNumber}` : one.phoneNumber) : ""}</span>` },
    { key: "user", title: t("customer.userId"), cell: (/** @type {ContactRecord} */ one) => html`<span class="soft">${one.customerUserId ?? ""}</span>` },
    { key: "created", title: t("contacts.created"), cell: (/** @type {ContactRecord} */ one) => html`<time class="soft" title=${fullTime(one.createdTime)}>${shortTime(one.createdTime)}</time>` },
  ];
  return html`<div class="page"><header class="page-head"><h1>${t("nav.contacts")}</h1>
      <div class="search-box"><${SearchField} label=${t("contacts.search")} value=${text} onValue=${setText} id="contact-search" /></div>
      <${Button} icon="upload" onClick=${() => setDialog("import")}>${t("contacts.import")}<//>
      <${Button} kind="primary" icon="plus" onClick=${() => setDialog("new")}>${t("contacts.add")}<//></header>
    <div class="page-body flush"><${Loaded} load=${load}>${(/** @type {any} */ found) => found.content.length
      ? html`<${Table} label=${t("nav.contacts")} columns=${columns} rows=${found.content} onOpen=${setDialog} /><${Pager} page=${found} onPage=${(/** @type {number} */ to) => show(to)} />`
      : html`<${Empty} icon="contacts" title=${search ? t("inbox.nothingFound") : t("contacts.none")}><p>${t("contacts.noneHint")}</p><//>`}<//></div>
    ${dialog === "new" && html`<${NewContactDialog} onClose=${close} />`}
    ${dialog === "import" && html`<${ImportDialog} onClose=${close} />`}
    ${dialog && typeof dialog === "object" && html`<${ContactDialog} contact=${dialog} onClose=${close} />`}
  </div>`;
}
