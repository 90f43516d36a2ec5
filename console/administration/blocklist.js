// Recipients that get no messages of this client.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useSettled } from "#app/load.js";
import { Button, SearchField } from "#ui/controls.js";
import { report } from "#ui/toast.js";
import { FormDialog } from "../developers/form.js";
import { PagedTable } from "../developers/paged.js";
import { attempt, Time } from "../developers/parts.js";

const BLOCKLIST = "/messaging-service/WhatsApp/blocklist";

export function Blocklist() {
  const [text, setText] = useState("");
  const searchString = useSettled(text.trim());
  const [turn, setTurn] = useState(0);
  const [adding, setAdding] = useState(false);
  const again = () => setTurn((before) => before + 1);
  const block = (/** @type {string[]} */ recipients, /** @type {string} */ reason) => api.post(BLOCKLIST, { recipients, reason: reason || undefined });
  const add = async (/** @type {Record<string, any>} */ values) => {
    const { added } = await block(values.recipients.split(/[\n,;]+/).map((/** @type {string} */ one) => one.trim()).filter(Boolean), values.reason);
    report(t("administration.blocked", { count: added }));
    again();
  };
  const remove = (/** @type {any} */ row) => attempt(async () => {
    await api.remove(`${BLOCKLIST}/${encodeURIComponent(row.recipient)}`);
    again();
    report(t("administration.unblocked", { recipient: row.recipient }), { action: { text: t("common.undo"), run: () => attempt(() => block([row.recipient], row.reason ?? "")).then(again) } });
  });
  const columns = [
    { key: "recipient", title: t("sends.number"), cell: (/** @type {any} */ one) => html`<span class="number">${/^\d+$/.test(one.recipient) ? `+${one.recipient}` : one.recipient}</span>` },
    { key: "reason", title: t("administration.reason"), cell: (/** @type {any} */ one) => one.reason ?? "" },
    { key: "created", title: t("administration.blockedSince"), cell: (/** @type {any} */ one) => html`<${Time} time=${one.createdTime} />` },
    { key: "remove", title: t("common.delete"), hideTitle: true, end: true, cell: (/** @type {any} */ one) => html`<${Button} kind="quiet small" icon="trash" label=${t("administration.removeNamed", { name: one.recipient })} onClick=${() => remove(one)} />` },
  ];
  return html`<div class="filters"><div class="search-box"><${SearchField} label=${t("administration.searchBlocklist")} value=${text} onValue=${setText} /></div><span class="grow"></span>
      <div class="row"><${Button} kind="primary" icon="plus" onClick=${() => setAdding(true)}>${t("administration.block")}<//></div></div>
    <${PagedTable} label=${t("administration.parts.blocklist")} path=${BLOCKLIST} query=${{ searchString }} columns=${columns} rowKey=${(/** @type {any} */ one) => one.recipient} turn=${turn}
      empty=${{ icon: "lock", title: t(searchString ? "inbox.nothingFound" : "administration.noBlocked"), text: t("administration.blocklistText") }} />
    ${adding && html`<${FormDialog} title=${t("administration.block")} values=${{ recipients: "", reason: "" }} action=${t("administration.block")} save=${add} onClose=${() => setAdding(false)}
      fields=${[{ key: "recipients", label: t("administration.recipients"), kind: "area", hint: t("administration.recipientsHint"), required: true }, { key: "reason", label: t("administration.reason") }]} />`}`;
}
