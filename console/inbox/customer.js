// The panel of the customer: contact, facts, tags, the ticket, other chats, and the decisions that brought the chat here.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { onEvents, onRestart } from "#app/live.js";
import { useLoad } from "#app/load.js";
import { href } from "#app/router.js";
import { hasRole } from "#app/session.js";
import { fullTime, listTime, shortTime } from "#app/time.js";
import { Avatar, Button, Tag, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Fault, Loaded } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { ContactAttributes } from "../contacts/attributes.js";
import { CONTACTS, ContactNotes, TagEditor } from "../contacts/facts.js";
import { chatOf, renew } from "./chats.js";
import { stateOf } from "./scopes.js";
import { BotSteps } from "./steps.js";
import { channelName, inboxAddress, nameOf, phone } from "./words.js";

/** @typedef {import("./types.js").Chat} Chat */

/** `known`: the server told of the contact. @typedef {{contactId?: string | null, fullName?: string | null, tags: string[], chats: Chat[], known: boolean}} Customer */

/** The contact and all chats of the customer of a chat. A server without this call finds the chats by a search. @param {Chat} chat @param {AbortSignal} [signal] @returns {Promise<Customer>} */
async function readCustomer(chat, signal) {
  try {
    return { ...(await api.get(`/chat-service/api/v2/chats/${chat.id}/customer`, undefined, { signal })), known: true };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  const search = hasDigits(chat) ? chat.phoneNumber : chat.userId;
  const page = search ? await api.get("/chat-service/api/v2/chats", { scope: "all", search, size: 20 }, { signal }) : { content: [] };
  return { tags: [], chats: page.content, known: false };
}

/** Whether the viewer sees the whole number. @param {Chat} chat */
function hasDigits(chat) {
  return /^\d+$/.test(chat.phoneNumber ?? "");
}

/** Loads facts of a chat again when an event changes them, and when events were lost. @param {{reload: () => void}} load @param {Chat} chat @param {(event: import("#app/live.js").LiveEvent) => boolean} changes */
function useLiveReload(load, chat, changes) {
  useEffect(() => {
    const stops = [onEvents((events) => events.some(changes) && load.reload()), onRestart(load.reload)];
    return () => stops.forEach((stop) => stop());
  }, [chat.id]);
}

/** @param {{id: string, onClose: () => void}} props */
export function CustomerPanel({ id, onClose }) {
  const chat = chatOf(id);
  return chat ? html`<${Panel} chat=${chat} onClose=${onClose} />` : null;
}

/** @param {{chat: Chat, onClose: () => void}} props */
function Panel({ chat, onClose }) {
  const name = nameOf(chat);
  const load = useLoad((signal) => readCustomer(chat, signal), [chat.id]);
  useLiveReload(load, chat, (event) => event.type === "chat.updated" && event.chat?.id === chat.id);
  const contact = load.data?.contactId;
  return html`<aside class="customer scroll" aria-label=${t("customer.title")} tabindex="-1">
    <header class="customer-head"><${Button} kind="quiet small" class="customer-close" icon="close" label=${t("common.close")} onClick=${onClose} />
      <${Avatar} name=${name} /><h2>${name}</h2>
      <p class="soft small">${phone(chat.phoneNumber) || chat.userId}</p>
      ${chat.tags?.length ? html`<div class="row wrap tags">${chat.tags.map((tag) => html`<${Tag} key=${tag} icon="tag">${tag}<//>`)}</div>` : null}
      ${(contact || hasDigits(chat)) && html`<${Contact} chat=${chat} contact=${contact ?? ""} onNamed=${load.reload} />`}
    </header>
    ${contact && html`<section><h3>${t("contacts.tags")}</h3><${TagEditor} key=${contact} contact=${contact} first=${load.data?.tags} onChange=${load.reload} /></section>
      <${ContactAttributes} key=${`attributes ${contact}`} contact=${contact} />
      <section><h3>${t("contacts.notes")}</h3><${ContactNotes} key=${contact} contact=${contact} /></section>`}
    <section><h3>${t("customer.details")}</h3><dl class="facts">
      <${Fact} label=${t("customer.channel")} value=${channelName(chat.channel)} />
      <${Fact} label=${t("customer.inbox")} value=${inboxAddress(chat.channel, chat.whatsAppNumber)} />
      <${Fact} label=${t("customer.userId")} value=${chat.userId} />
      <${Fact} label=${t("customer.username")} value=${chat.username} />
      <${Fact} label=${t("customer.team")} value=${chat.teamName} />
      <${Fact} label=${t("customer.lastAgent")} value=${chat.lastAssignedAgent?.name} />
      <${Fact} label=${t("customer.waitReason")} value=${chat.queuedReason} />
      <${Fact} label=${t("customer.since")} value=${chat.createdTime && shortTime(chat.createdTime)} title=${chat.createdTime && fullTime(chat.createdTime)} />
    </dl></section>
    <${BotSteps} chat=${chat} />
    <${Tickets} chat=${chat} />
    <${OtherChats} chat=${chat} load=${load} />
    ${hasRole("ADMIN", "DEVELOPER") && html`<${Decisions} chat=${chat} />`}
  </aside>`;
}

/** @param {{label: string, value?: any, title?: string}} props */
function Fact({ label, value, title }) {
  return value ? html`<dt>${label}</dt><dd title=${title}>${value}</dd>` : null;
}

/** @param {{chat: Chat, contact: string, onNamed: () => void}} props */
function Contact({ chat, contact, onNamed }) {
  const [open, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    onNamed();
  };
  return html`<${Button} kind="small" icon="edit" onClick=${() => setOpen(true)}>${t(contact ? "customer.changeName" : "customer.editName")}<//>
    ${open && html`<${NameDialog} chat=${chat} contact=${contact} onClose=${close} />`}`;
}

/** Names the customer in the address book. @param {{chat: Chat, contact: string, onClose: () => void}} props */
function NameDialog({ chat, contact, onClose }) {
  const [name, setName] = useState(chat.name ?? "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const submit = async () => {
    setBusy(true);
    try {
      const id = contact || (await findContact(chat));
      const fullName = name.trim();
      if (id) await api.put(`${CONTACTS}/${id}`, { fullName });
      else await api.post(CONTACTS, { fullName, phoneNumber: chat.phoneNumber });
      // Every chat of the customer has the name.
      renew((await readCustomer(chat)).chats);
      report(t("customer.named", { name: name.trim() }));
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${t(contact ? "customer.changeName" : "customer.editName")} onClose=${onClose} onSubmit=${submit} foot=${html`
    <${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy}>${t("common.save")}<//>`}>
    ${error && html`<${Fault} error=${error} />`}
    <${TextField} label=${t("customer.name")} hint=${t("customer.nameHint")} value=${name} onValue=${setName} required maxlength="200" autofocus />
  <//>`;
}

/** The contact with the number of a chat. @param {Chat} chat @returns {Promise<string | undefined>} */
async function findContact(chat) {
  const page = await api.get(CONTACTS, { search: chat.phoneNumber, size: 5 });
  return page.content.find((/** @type {{phoneNumber?: string}} */ one) => one.phoneNumber === chat.phoneNumber)?.id;
}

/** The latest tickets of this chat. @param {{chat: Chat}} props */
function Tickets({ chat }) {
  const load = useLoad(async (signal) => {
    const query = { page: 0, size: 5, clientRef: "me", startDateTime: "2020-01-01T00:00:00Z", endDateTime: "2100-01-01T00:00:00Z", participantId: chat.id };
    return (await api.get("/chat-service/ticket/search", query, { signal })).content;
  }, [chat.id]);
  useLiveReload(load, chat, (event) => event.type === "ticket.changed" && event.ticket?.participantId === chat.id);
  return html`<section><h3>${t("customer.tickets")}</h3><${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {any[]} */ tickets) => tickets.length
    ? html`<ul class="plain">${tickets.map((ticket) => html`<li key=${ticket.id} class="row"><span class="number strong">${ticket.ticketNumber}</span>
        <span class="grow tiny soft clip">${shortTime(ticket.createdTime)}</span><${Tag} tone=${ticket.closedTime ? "" : "accent"}>${t(`ticket.${ticket.status}`)}<//></li>`)}</ul>`
    : html`<p class="small soft">${t("customer.noTickets")}</p>`}<//></section>`;
}

/** @param {{chat: Chat, load: {data?: Customer, error?: unknown, reload: () => void}}} props */
function OtherChats({ chat, load }) {
  return html`<section><h3>${t("customer.otherChats")}</h3><${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {Customer} */ customer) => {
    const chats = customer.chats.filter((one) => one.id !== chat.id);
    if (!chats.length) return html`<p class="small soft">${t("customer.noOtherChats")}</p>`;
    return html`<ul class="plain">${chats.map((one) => html`<li key=${one.id}><a class="row other-chat" href=${href(`/inbox/all/${one.id}`)}><span class="grow clip">${channelName(one.channel)} ${inboxAddress(one.channel, one.whatsAppNumber)}</span><span class="tiny soft">${listTime(one.lastMessageTime)}</span></a></li>`)}</ul>`;
  }}<//></section>`;
}

/** The decisions of routers about this chat. @param {{chat: Chat}} props */
function Decisions({ chat }) {
  const load = useLoad((signal) => api.get("/plugin-service/api/v1/routing-decisions", { participantId: chat.id, size: 5 }, { signal }), [chat.id, stateOf(chat)]);
  return html`<section><h3>${t("customer.decisions")}</h3><${Loaded} load=${load} skeleton=${html`<span class="skeleton w2"></span>`}>${(/** @type {{content: any[]}} */ page) => page.content.length
    ? html`<ul class="plain">${page.content.map((one) => html`<li key=${one.id} class="stack tight"><span class="row"><strong class="grow clip">${one.plugin}${one.version ? ` ${one.version}` : ""}</strong><span class="tiny soft">${one.time && shortTime(one.time)}</span></span><span class="small soft">${one.reason}</span></li>`)}</ul>`
    : html`<p class="small soft">${t("customer.noDecisions")}</p>`}<//></section>`;
}
