// Tickets: the episodes of chats that agents worked on.
import { html } from "htm/preact";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useSearchText } from "#app/load.js";
import { go, query } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { SearchField, Select, Tag } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, Table, useFilledPage } from "#ui/table.js";
import { report, reportFault } from "#ui/toast.js";

/** @typedef {{id: string, ticketNumber: string, participantId: string, customerName?: string | null, phoneNumber?: string | null, whatsAppNumber?: string | null, status: string, agentName?: string | null, rating?: string | null, createdTime: string, closedTime?: string | null}} Ticket */

const SIZE = 50;
const DAY = 86_400_000;
const PERIODS = ["1", "7", "30", "90", "365"];
const STATUSES = ["OPEN", "AWAITING_AGENT", "AWAITING_CUSTOMER", "RESOLVED", "CLOSED"];
const RATINGS = ["poor", "average", "excellent"];
/** @type {Record<string, string>} */
const TONES = { poor: "danger", average: "warning", excellent: "success" };

/** A short number is that of a ticket, any other text is part of a name or number of the customer. @param {string} text */
const wanted = (text) => (/^#?\d{1,6}$/.test(text) ? { ticketNumber: text.replace("#", "") } : { customer: text });

/** @param {string | null | undefined} digits */
const number = (digits) => (digits && /^\d+$/.test(digits) ? `+${digits}` : (digits ?? ""));

/** The name with the number, or the one that is known. @param {Ticket} ticket */
function customer({ customerName, phoneNumber }) {
  const digits = number(phoneNumber);
  if (!customerName) return html`<span class="number">${digits || "–"}</span>`;
  return html`<span class="stack tight"><span dir="auto">${customerName}</span>${digits && html`<span class="tiny soft number">${digits}</span>`}</span>`;
}

export default function Tickets() {
  const { q = "", days = "30", status = "", rating = "", agent = "", page = "0" } = query.value;
  const filter = (/** @type {Record<string, string>} */ change) => go("/tickets", { search: { q, days, status, rating, agent, ...change }, replace: true });
  const [text, setText] = useSearchText(q, (next) => filter({ q: next }));
  const users = useLoad(async (signal) => (await api.get("/api/v1/users", { size: 500 }, { signal })).content, []);
  const load = useLoad((signal) => api.get("/chat-service/ticket/search", {
    page, size: SIZE, clientRef: "me", startDateTime: new Date(Date.now() - Number(days) * DAY).toISOString(), endDateTime: new Date(Date.now() + DAY).toISOString(),
    ...wanted(q), selectedStatus: status, rating, agentId: agent,
  }, { signal }), [q, days, status, rating, agent, page]);
  const show = (/** @type {number} */ to) => filter({ page: String(to) });
  useFilledPage(load.data, show);
  const setStatus = async (/** @type {Ticket} */ ticket, /** @type {string} */ wanted) => {
    try {
      await api.put(`/chat-service/ticket/${ticket.id}/status`, undefined, { query: { newStatus: wanted } });
      report(t("tickets.changed", { number: ticket.ticketNumber, status: t(`ticket.${wanted}`) }));
    } catch (error) {
      reportFault(error);
    }
    load.reload();
  };
  const columns = [
    { key: "number", title: t("tickets.number"), cell: (/** @type {Ticket} */ one) => html`<span class="number">${one.ticketNumber}</span>` },
    { key: "status", title: t("tickets.status"), cell: (/** @type {Ticket} */ one) => html`<${Select} label=${t("tickets.statusOf", { number: one.ticketNumber })} hideLabel value=${one.status} options=${STATUSES.map((name) => [name, t(`ticket.${name}`)])} onValue=${(/** @type {string} */ wanted) => setStatus(one, wanted)} />` },
    { key: "customer", title: t("customer.title"), cell: (/** @type {Ticket} */ one) => customer(one) },
    { key: "inbox", title: t("customer.inbox"), cell: (/** @type {Ticket} */ one) => html`<span class="soft number">${number(one.whatsAppNumber)}</span>` },
    { key: "agent", title: t("tickets.agent"), cell: (/** @type {Ticket} */ one) => one.agentName ?? "" },
    { key: "rating", title: t("tickets.rating"), cell: (/** @type {Ticket} */ one) => (one.rating ? html`<${Tag} tone=${TONES[one.rating]}>${t(`ratings.${one.rating}`)}<//>` : "") },
    { key: "created", title: t("tickets.created"), cell: (/** @type {Ticket} */ one) => html`<time class="soft" title=${fullTime(one.createdTime)}>${shortTime(one.createdTime)}</time>` },
    { key: "closed", title: t("tickets.closed"), cell: (/** @type {Ticket} */ one) => (one.closedTime ? html`<time class="soft" title=${fullTime(one.closedTime)}>${shortTime(one.closedTime)}</time>` : "") },
  ];
  const any = /** @type {[string, string]} */ (["", t("tickets.any")]);
  return html`<div class="page"><header class="page-head"><h1>${t("nav.tickets")}</h1>
      <div class="search-box"><${SearchField} label=${t("tickets.search")} value=${text} onValue=${setText} /></div></header>
    <div class="filters"><${Select} label=${t("tickets.period")} value=${days} options=${PERIODS.map((one) => [one, t("tickets.days", { count: Number(one) })])} onValue=${(/** @type {string} */ value) => filter({ days: value })} />
      <${Select} label=${t("tickets.status")} value=${status} options=${[any, ...STATUSES.map((one) => [one, t(`ticket.${one}`)])]} onValue=${(/** @type {string} */ value) => filter({ status: value })} />
      <${Select} label=${t("tickets.rating")} value=${rating} options=${[any, ...RATINGS.map((one) => [one, t(`ratings.${one}`)])]} onValue=${(/** @type {string} */ value) => filter({ rating: value })} />
      <${Select} label=${t("tickets.agent")} value=${agent} options=${[any, ...(users.data ?? []).map((/** @type {{id: string, name: string}} */ one) => [one.id, one.name])]} onValue=${(/** @type {string} */ value) => filter({ agent: value })} /></div>
    <div class="page-body flush"><${Loaded} load=${load}>${(/** @type {any} */ found) => found.content.length
      ? html`<${Table} label=${t("nav.tickets")} columns=${columns} rows=${found.content} onOpen=${(/** @type {Ticket} */ one) => go(`/inbox/all/${one.participantId}`)} /><${Pager} page=${found} onPage=${show} />`
      : html`<${Empty} icon="ticket" title=${t("tickets.none")}><p>${t("tickets.noneHint")}</p><//>`}<//></div></div>`;
}
