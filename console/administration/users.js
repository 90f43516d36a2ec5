// Users of the client with their roles.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useSettled } from "#app/load.js";
import { Sessions } from "#app/account.js";
import { hasRole, viewer } from "#app/session.js";
import { Avatar, Button, SearchField, Tag } from "#ui/controls.js";
import { confirm, Dialog } from "#ui/dialog.js";
import { Menu } from "#ui/menu.js";
import { FormDialog } from "../developers/form.js";
import { PagedTable } from "../developers/paged.js";
import { attempt, ShownOnce } from "../developers/parts.js";

/** @typedef {{id: string, name: string, email: string, role: string, team?: string | null, available: boolean, chatLimit?: number | null}} User */

const USERS = "/api/v1/users";
const ROLES = ["ADMIN", "SUPERVISOR", "AGENT", "DEVELOPER", "API"];

export function Users() {
  const [text, setText] = useState("");
  const search = useSettled(text.trim());
  const [turn, setTurn] = useState(0);
  const [dialog, setDialog] = useState(/** @type {"" | "new" | User} */ (""));
  const [limited, setLimited] = useState(/** @type {User | null} */ (null));
  const [open, setOpen] = useState(/** @type {User | null} */ (null));
  const [password, setPassword] = useState({ name: "", value: "" });
  const admin = hasRole("ADMIN");
  const again = () => setTurn((before) => before + 1);
  const reset = async (/** @type {User} */ user) => {
    if (!(await confirm({ title: t("administration.resetTitle", { name: user.name }), text: t("administration.resetText"), action: t("administration.reset") }))) return;
    await attempt(async () => setPassword({ name: user.name, value: (await api.post(`${USERS}/${user.id}/temporary-password`)).temporaryPassword }));
  };
  const remove = async (/** @type {User} */ user) => {
    if (!(await confirm({ title: t("administration.removeUserTitle", { name: user.name }), text: t("administration.removeUserText"), action: t("common.delete"), danger: true }))) return;
    if (await attempt(() => api.remove(`${USERS}/${user.id}`), t("administration.userRemoved", { name: user.name }))) again();
  };
  const unlink = async (/** @type {User} */ user) => {
    if (!(await confirm({ title: t("administration.unlinkTitle", { name: user.name }), text: t("administration.unlinkText"), action: t("administration.unlink") }))) return;
    await attempt(() => api.remove(`${USERS}/${user.id}/openid-link`), t("administration.unlinked", { name: user.name }));
  };
  const available = (/** @type {User} */ user) => attempt(() => api.put(`${USERS}/${user.id}/availability`, { available: !user.available })).then(again);
  const items = (/** @type {User} */ user) => [
    ...(admin ? [{ text: t("common.edit"), icon: "edit", run: () => setDialog(user) }, { text: t("administration.reset"), icon: "key", run: () => reset(user) }, { text: t("administration.unlink"), icon: "lock", run: () => unlink(user) }, { text: t("administration.sessions"), icon: "clock", run: () => setOpen(user) }] : []),
    { text: t("shell.available"), icon: "headset", checked: user.available, run: () => available(user) },
    { text: t("administration.chatLimit"), icon: "chat", run: () => setLimited(user) },
    ...(admin && user.id !== viewer.value?.id ? [{ divider: true }, { text: t("common.delete"), icon: "trash", danger: true, run: () => remove(user) }] : []),
  ];
  const columns = [
    { key: "name", title: t("administration.name"), cell: (/** @type {User} */ one) => html`<span class="row"><${Avatar} name=${one.name} small=${true} /><span class="strong">${one.name}</span></span>` },
    { key: "email", title: t("login.email"), cell: (/** @type {User} */ one) => one.email },
    { key: "role", title: t("administration.role"), cell: (/** @type {User} */ one) => html`<${Tag} tone=${one.role === "ADMIN" ? "accent" : ""}>${t(`roles.${one.role}`)}<//>` },
    { key: "team", title: t("customer.team"), cell: (/** @type {User} */ one) => one.team ?? "" },
    { key: "available", title: t("inbox.available"), cell: (/** @type {User} */ one) => (one.available ? t("developers.yes") : t("developers.no")) },
    { key: "limit", title: t("administration.chatLimit"), end: true, cell: (/** @type {User} */ one) => one.chatLimit ?? "" },
    ...(hasRole("ADMIN", "SUPERVISOR") ? [{ key: "menu", title: t("common.more"), hideTitle: true, end: true, cell: (/** @type {User} */ one) => html`<${Menu} label=${t("administration.actionsFor", { name: one.name })} icon="more" kind="quiet small" items=${() => items(one)} />` }] : []),
  ];
  return html`<div class="filters"><div class="search-box"><${SearchField} label=${t("administration.searchUsers")} value=${text} onValue=${setText} /></div>
      <p class="row grow small"><a href="/docs/roles" target="_blank" rel="noopener">${t("administration.rolesGuide")}</a></p>
      ${admin && html`<div class="row"><${Button} kind="primary" icon="plus" onClick=${() => setDialog("new")}>${t("administration.addUser")}<//></div>`}</div>
    <${PagedTable} label=${t("administration.parts.users")} path=${USERS} query=${{ search }} columns=${columns} turn=${turn} empty=${{ icon: "users", title: t("inbox.nothingFound") }} />
    ${dialog && html`<${UserDialog} user=${dialog === "new" ? null : dialog} onClose=${() => setDialog("")} onSaved=${again} onPassword=${setPassword} />`}
    ${limited && html`<${FormDialog} title=${t("administration.chatLimitOf", { name: limited.name })} values=${{ chatLimit: limited.chatLimit ?? "" }} fields=${[{ key: "chatLimit", label: t("administration.chatLimit"), hint: t("administration.chatLimitHint"), type: "number", min: 0 }]}
      save=${async (/** @type {any} */ values) => (await api.put(`${USERS}/${limited.id}/chat-limit`, { chatLimit: values.chatLimit === "" ? null : Number(values.chatLimit) }), again())} onClose=${() => setLimited(null)} />`}
    ${open && html`<${Dialog} title=${t("administration.sessionsOf", { name: open.name })} onClose=${() => setOpen(null)}><${Sessions} userId=${open.id} /><//>`}
    ${password.value && html`<${Dialog} title=${password.name} onClose=${() => setPassword({ name: "", value: "" })}><${ShownOnce} label=${t("administration.temporary")} value=${password.value} /><//>`}`;
}

/** @param {{user: User | null, onClose: () => void, onSaved: () => void, onPassword: (shown: {name: string, value: string}) => void}} props */
function UserDialog({ user, onClose, onSaved, onPassword }) {
  const teams = useLoad((signal) => api.get("/api/v1/teams", { size: 200 }, { signal }), []);
  const save = async (/** @type {Record<string, any>} */ { email, team, ...values }) => {
    if (user) await api.put(`${USERS}/${user.id}`, { ...values, team: team || null });
    else {
      const made = await api.post(USERS, { ...values, email, team: team || undefined });
      onPassword({ name: made.name, value: made.temporaryPassword });
    }
    onSaved();
  };
  const options = [["", t("common.none")], ...(teams.data?.content ?? []).map((/** @type {any} */ one) => [one.name, one.name])];
  if (!teams.data && !teams.error) return null;
  return html`<${FormDialog} title=${user ? user.name : t("administration.addUser")} text=${user ? "" : t("administration.addUserText")} action=${user ? undefined : t("administration.add")} save=${save} onClose=${onClose}
    values=${{ name: user?.name ?? "", email: user?.email ?? "", role: user?.role ?? "AGENT", team: user?.team ?? "" }}
    fields=${[{ key: "name", label: t("administration.name"), required: true, maxlength: 200 },
      ...(user ? [] : [{ key: "email", label: t("login.email"), type: "email", required: true }]),
      { key: "role", label: t("administration.role"), kind: "select", hint: t("administration.roleHint"), options: ROLES.map((role) => [role, t(`roles.${role}`)]) },
      { key: "team", label: t("customer.team"), kind: "select", options }]} />`;
}
