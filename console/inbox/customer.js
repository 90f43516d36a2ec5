// The panel of the customer: contact, facts, tags, the ticket, other chats, and the decisions that brought the chat here.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { href } from "#app/router.js";
import { hasRole } from "#app/session.js";
import { fullTime, listTime, shortTime } from "#app/time.js";
import { Avatar, Button, Tag, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault, Loaded } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { chatOf, fetchChat } from "./chats.js";
import { stateOf } from "./scopes.js";
import { channelName, nameOf, phone } from "./words.js";

/** @typedef {import("./types.js").Chat} Chat */

/** @param {{id: string, onClose: () => void}} props */
export function CustomerPanel({ id, onClose }) {
  const chat = chatOf(id);
  if (!chat) return null;
  const name = nameOf(chat);
  return html`<aside class="customer scroll" aria-label=${t("customer.title")} tabindex="-1">
    <header class="customer-head"><${Button} kind="quiet small" class="customer-close" icon="close" label=${t("common.close")} onClick=${onClose} />
      <${Avatar} name=${name} /><h2>${name}</h2>
      <p class="soft small">${phone(chat.phoneNumber) || chat.userId}</p>
      ${chat.tags?.length ? html`<div class="row wrap tags">${chat.tags.map((tag) => html`<${Tag} key=${tag} icon="tag">${tag}<//>`)}</div>` : null}
      ${chat.phoneNumber && /^\d+$/.test(chat.phoneNumber) && html`<${Contact} chat=${chat} />`}
    </header>
    <section><h3>${t("customer.details")}</h3><dl class="facts">
      <${Fact} label=${t("customer.channel")} value=${channelName(chat.channel)} />
      <${Fact} label=${t("customer.inbox")} value=${phone(chat.whatsAppNumber)} />
      <${Fact} label=${t("customer.userId")} value=${chat.userId} />
      <${Fact} label=${t("customer.username")} value=${chat.username} />
      <${Fact} label=${t("customer.team")} value=${chat.teamName} />
      <${Fact} label=${t("customer.lastAgent")} value=${chat.lastAssignedAgent?.name} />
      <${Fact} label=${t("customer.waitReason")} value=${chat.queuedReason} />
      <${Fact} label=${t("customer.since")} value=${chat.createdTime && shortTime(chat.createdTime)} title=${chat.createdTime && fullTime(chat.createdTime)} />
    </dl></section>
    <${Tickets} chat=${chat} />
    <${OtherChats} chat=${chat} />
    ${hasRole("ADMIN", "DEVELOPER") && html`<${Decisions} chat=${chat} />`}
  </aside>`;
}

/** @param {{label: string, value?: any, title?: string}} props */
function Fact({ label, value, title }) {
  return value ? html`<dt>${label}</dt><dd title=${title}>${value}</dd>` : null;
}

/** @param {{chat: Chat}} props */
function Contact({ chat }) {
  const [open, setOpen] = useState(false);
  return html`<${Button} kind="small" icon="edit" onClick=${() => setOpen(true)}>${t("customer.editName")}<//>
    ${open && html`<${NameDialog} chat=${chat} onClose=${() => setOpen(false)} />`}`;
}

/** Names the customer in the address book. @param {{chat: Chat, onClose: () => void}} props */
function NameDialog({ chat, onClose }) {
  const [name, setName] = useState(chat.name ?? "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const submit = async () => {
    setBusy(true);
    try {
      const page = await api.get("/messaging-service/WhatsApp/contacts", { search: chat.phoneNumber, size: 5 });
      const known = page.content.find((/** @type {any} */ one) => one.phoneNumber === chat.phoneNumber);
      if (known) await api.put(`/messaging-service/WhatsApp/contacts/${known.id}`, { fullName: name.trim() });
      else await api.post("/messaging-service/WhatsApp/contacts", { fullName: name.trim(), phoneNumber: chat.phoneNumber });
      await fetchChat(chat.id);
      report(t("customer.named", { name: name.trim() }));
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t("customer.editName")} onClose=${onClose} onSubmit=${submit} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy}>${t("common.save")}<//>`}>
    ${error && html`<${Fault} error=${error} />`}
    <${TextField} label=${t("customer.name")} hint=${t("customer.nameHint")} value=${name} onValue=${setName} required maxlength="200" autofocus />
  <//>`;
}

/** The latest tickets of this chat. @param {{chat: Chat}} props */
function Tickets({ chat }) {
  const load = useLoad(async (signal) => {
    const query = { page: 0, size: 200, clientRef: "me", startDateTime: chat.createdTime ?? "2020-01-01T00:00:00Z", endDateTime: "2100-01-01T00:00:00Z", whatsAppNumber: chat.channel === "WHATSAPP" ? chat.whatsAppNumber : undefined };
    const page = await api.get("/chat-service/ticket/search", query, { signal });
    return page.content.filter((/** @type {any} */ ticket) => ticket.participantId === chat.id).slice(0, 5);
  }, [chat.id, chat.ticketId ?? "", stateOf(chat)]);
  return html`<section><h3>${t("customer.tickets")}</h3><${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {any[]} */ tickets) => tickets.length
    ? html`<ul class="plain">${tickets.map((ticket) => html`<li key=${ticket.id} class="row"><span class="number strong">${ticket.ticketNumber}</span>
        <span class="grow tiny soft clip">${shortTime(ticket.createdTime)}</span><${Tag} tone=${ticket.closedTime ? "" : "accent"}>${t(`ticket.${ticket.status}`)}<//></li>`)}</ul>`
    : html`<p class="small soft">${t("customer.noTickets")}</p>`}<//></section>`;
}

/** @param {{chat: Chat}} props */
function OtherChats({ chat }) {
  const wanted = chat.phoneNumber && /^\d+$/.test(chat.phoneNumber) ? chat.phoneNumber : chat.userId;
  const load = useLoad(async (signal) => {
    if (!wanted) return [];
    const page = await api.get("/chat-service/api/v2/chats", { scope: "all", search: wanted, size: 20 }, { signal });
    return page.content.filter((/** @type {Chat} */ one) => one.id !== chat.id);
  }, [chat.id, wanted ?? ""]);
  return html`<section><h3>${t("customer.otherChats")}</h3><${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {Chat[]} */ chats) => chats.length
    ? html`<ul class="plain">${chats.map((one) => html`<li key=${one.id}><a class="row other-chat" href=${href(`/inbox/all/${one.id}`)}><span class="grow clip">${channelName(one.channel)} ${phone(one.whatsAppNumber)}</span><span class="tiny soft">${listTime(one.lastMessageTime)}</span></a></li>`)}</ul>`
    : html`<p class="small soft">${t("customer.noOtherChats")}</p>`}<//></section>`;
}

/** What routers decided about this chat. @param {{chat: Chat}} props */
function Decisions({ chat }) {
  const load = useLoad((signal) => api.get("/plugin-service/api/v1/routing-decisions", { participantId: chat.id, size: 5 }, { signal }), [chat.id, stateOf(chat)]);
  return html`<section><h3>${t("customer.decisions")}</h3><${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {{content: any[]}} */ page) => page.content.length
    ? html`<ul class="plain">${page.content.map((one) => html`<li key=${one.id} class="stack tight"><span class="row"><strong class="grow clip">${one.plugin}${one.version ? ` ${one.version}` : ""}</strong><span class="tiny soft">${one.time && shortTime(one.time)}</span></span><span class="small soft">${one.reason}</span></li>`)}</ul>`
    : html`<p class="small soft">${t("customer.noDecisions")}</p>`}<//></section>`;
}
