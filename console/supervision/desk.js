// The desk now: the queue by team, agents with their load, and chats that can be given to others in bulk.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { Link } from "#app/router.js";
import { duration, since } from "#app/time.js";
import { Avatar, Button, Checkbox, Select, Tag } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Pager, Table, useFilledPage } from "#ui/table.js";
import { Tile } from "#ui/tile.js";
import { report, reportFault } from "#ui/toast.js";
import { stateOf } from "../inbox/scopes.js";

/** @typedef {{id: string, name: string, teamId: string | null, teamName: string | null, available: boolean, chats: number, chatLimit: number, lastActiveTime: string | null}} AgentLoad */
/** @typedef {{time: string, queue: {length: number, longestWait: number, teams: Array<{teamId: string | null, teamName: string | null, length: number, longestWait: number}>}, agents: AgentLoad[], missed: number, missedAfterHours: number}} DeskState */

const CHATS = "/chat-service/api/v2/chats";
const EVERY_MS = 5000;
const SCOPES = ["unassigned", "open", "missed-agent", "missed-after-hours"];

export function Desk() {
  const load = useLoad((signal) => api.get("/chat-service/api/v2/figures/now", undefined, { signal }), []);
  useRefresh(load, EVERY_MS);
  return html`<div class="stack loose">
    <${Loaded} load=${load}>${(/** @type {DeskState} */ state) => html`
      <dl class="tiles">
        <${Tile} title=${t("supervision.waiting")} value=${state.queue.length} tone=${state.queue.length ? "warning" : ""} />
        <${Tile} title=${t("supervision.longestWait")} value=${state.queue.length ? duration(state.queue.longestWait * 1000) : "–"} />
        <${Tile} title=${t("supervision.available")} value=${`${state.agents.filter((one) => one.available).length} / ${state.agents.length}`} />
        <${Tile} title=${t("supervision.missed")} value=${state.missed} tone=${state.missed ? "danger" : ""} />
        <${Tile} title=${t("supervision.afterHours")} value=${state.missedAfterHours} />
      </dl>
      ${state.queue.teams.length > 0 && html`<section class="stack"><h2>${t("supervision.queue")}</h2><${Table} label=${t("supervision.queue")} rows=${state.queue.teams} rowKey=${(/** @type {any} */ one) => one.teamId ?? ""} columns=${[
        { key: "team", title: t("supervision.team"), cell: (/** @type {any} */ one) => one.teamName ?? t("supervision.allAgents") },
        { key: "length", title: t("supervision.waiting"), end: true, cell: (/** @type {any} */ one) => one.length },
        { key: "wait", title: t("supervision.longestWait"), end: true, cell: (/** @type {any} */ one) => duration(one.longestWait * 1000) },
      ]} /></section>`}
      <section class="stack"><h2>${t("supervision.agents")}</h2><${Agents} agents=${state.agents} reload=${load.reload} /></section>
      <${Chats} agents=${state.agents} onGiven=${load.reload} />`}<//>
  </div>`;
}

/** @param {{agents: AgentLoad[], reload: () => void}} props */
function Agents({ agents, reload }) {
  const setAvailable = async (/** @type {AgentLoad} */ agent) => {
    try {
      await api.put(`/api/v1/users/${agent.id}/availability`, { available: !agent.available });
      reload();
    } catch (error) {
      reportFault(error);
    }
  };
  const columns = [
    { key: "name", title: t("supervision.agent"), cell: (/** @type {AgentLoad} */ one) => html`<span class="row"><${Avatar} name=${one.name} small=${true} />${one.name}</span>` },
    ...(agents.some((one) => one.teamName) ? [{ key: "team", title: t("supervision.team"), cell: (/** @type {AgentLoad} */ one) => html`<span class="soft">${one.teamName ?? ""}</span>` }] : []),
    { key: "state", title: t("supervision.state"), cell: (/** @type {AgentLoad} */ one) => html`<${Tag} tone=${one.available ? "success" : ""}>${t(one.available ? "inbox.available" : "inbox.unavailable")}<//>` },
    { key: "load", title: t("supervision.load"), cell: (/** @type {AgentLoad} */ one) => html`<span class="row load"><meter class="bar" min="0" max=${Math.max(1, one.chatLimit)} value=${one.chats} aria-label=${t("supervision.loadOf", { name: one.name })}></meter><span class="number">${one.chats} / ${one.chatLimit}</span></span>` },
    { key: "active", title: t("supervision.lastActive"), cell: (/** @type {AgentLoad} */ one) => (one.lastActiveTime ? since(one.lastActiveTime) : html`<span class="faint">${t("supervision.notLoggedIn")}</span>`) },
    { key: "act", title: t("supervision.actions"), hideTitle: true, end: true, cell: (/** @type {AgentLoad} */ one) => html`<${Button} kind="small" onClick=${() => setAvailable(one)}>${t(one.available ? "supervision.pauseAgent" : "supervision.makeAvailable")}<//>` },
  ];
  return agents.length ? html`<${Table} label=${t("supervision.members")} columns=${columns} rows=${agents} />` : html`<${Empty} icon="users" title=${t("supervision.noAgents")} />`;
}

/** The owner of a chat: an agent, the bot, the queue, or none after its end. @param {import("../inbox/types.js").Chat} chat */
function ownerOf(chat) {
  return chat.assignedTo?.id ?? stateOf(chat);
}

/** Whether a chat could not be given because it has another owner by now. @param {any} chat @param {unknown} error */
async function isTaken(chat, error) {
  if (!(error instanceof ApiError) || error.status !== 409) return false;
  return ownerOf(await api.get(`${CHATS}/${chat.id}`).catch(() => chat)) !== ownerOf(chat);
}

/** Gives chats away one after the other. The list may be some seconds old: a chat that an agent took since stays with that agent. @param {any[]} chats @param {{teamId: string} | {agentId: string}} to */
async function giveAll(chats, to) {
  let [count, taken] = [0, 0];
  /** @type {Set<string>} */
  const failed = new Set();
  for (const chat of chats) {
    try {
      await api.post(`${CHATS}/${chat.id}/transfer`, { ...to, ifOwner: ownerOf(chat) });
      count += 1;
    } catch (error) {
      if (await isTaken(chat, error)) {
        taken += 1;
        continue;
      }
      failed.add(chat.id);
      reportFault(error);
    }
  }
  return { count, taken, failed };
}

/** Chats of a list, to be given to an agent or a team together. @param {{agents: AgentLoad[], onGiven: () => void}} props */
function Chats({ agents, onGiven }) {
  const [scope, setScope] = useState("unassigned");
  const [page, setPage] = useState(0);
  const [chosen, setChosen] = useState(/** @type {Set<string>} */ (new Set()));
  const [target, setTarget] = useState("");
  const [busy, setBusy] = useState(false);
  const load = useLoad((signal) => api.get(CHATS, { scope, page, size: 50 }, { signal }), [scope, page]);
  useRefresh(load, busy ? 0 : EVERY_MS);
  useFilledPage(load.data, setPage);
  const teams = useLoad((signal) => api.get("/api/v1/teams", { size: 500 }, { signal }), []);
  const toggle = (/** @type {string} */ id) => setChosen((before) => {
    const next = new Set(before);
    if (!next.delete(id)) next.add(id);
    return next;
  });
  const show = (/** @type {string} */ next) => (setScope(next), setPage(0), setChosen(new Set()));
  const turn = (/** @type {number} */ next) => (setPage(next), setChosen(new Set()));
  const all = load.data?.content ?? [];
  // A chat that has left the list, because an agent took it, is not given to another.
  const given = all.filter((/** @type {any} */ one) => chosen.has(one.id));
  const give = async () => {
    const [kind, id] = target.split(" ");
    setBusy(true);
    const { count, taken, failed } = await giveAll(given, kind === "team" ? { teamId: id } : { agentId: id });
    setBusy(false);
    setChosen(failed);
    if (count) report(t("supervision.given", { count }));
    if (taken) report(t("supervision.taken", { count: taken }), { icon: "info" });
    load.reload();
    onGiven();
  };
  const every = all.length > 0 && all.every((/** @type {any} */ one) => chosen.has(one.id));
  const nameOf = (/** @type {any} */ one) => one.name ?? one.username ?? one.phoneNumber ?? one.userId ?? one.id;
  const columns = [
    { key: "choose", title: t("supervision.choose"), hideTitle: true, cell: (/** @type {any} */ one) => html`<${Checkbox} label=${html`<span class="hidden-text">${t("supervision.chooseChat", { name: nameOf(one) })}</span>`} checked=${chosen.has(one.id)} onValue=${() => toggle(one.id)} />` },
    { key: "name", title: t("supervision.customer"), cell: (/** @type {any} */ one) => html`<${Link} class="cell-link" to=${`/inbox/all/${one.id}`}>${nameOf(one)}<//>` },
    { key: "channel", title: t("customer.channel"), cell: (/** @type {any} */ one) => html`<span class="soft">${t(`channels.${one.channel}`)}</span>` },
    { key: "agent", title: t("supervision.agent"), cell: (/** @type {any} */ one) => one.assignedTo?.name ?? html`<span class="faint">${one.teamName ?? ""}</span>` },
    { key: "last", title: t("supervision.lastMessage"), end: true, cell: (/** @type {any} */ one) => since(one.lastMessageTime) },
  ];
  return html`<section class="stack"><div class="row wrap between"><h2>${t("supervision.chats")}</h2><p class="small soft">${t("supervision.listenHint")}</p></div>
    <div class="supervision-filters"><${Select} label=${t("supervision.list")} value=${scope} options=${SCOPES.map((one) => [one, t(`scopes.${one}`)])} onValue=${show} />
      <${Select} label=${t("supervision.giveTo")} value=${target} options=${[["", t("supervision.chooseTarget")], ...(teams.data?.content ?? []).map((/** @type {any} */ one) => [`team ${one.id}`, one.name]), ...agents.map((one) => [`agent ${one.id}`, one.name])]} onValue=${setTarget} />
      <${Button} kind="primary" busy=${busy} disabled=${!target || !given.length} onClick=${give}>${given.length ? t("supervision.give", { count: given.length }) : t("supervision.giveChosen")}<//>
      <${Button} onClick=${() => setChosen(every ? new Set() : new Set(all.map((/** @type {any} */ one) => one.id)))} disabled=${!all.length}>${t(every ? "supervision.chooseNone" : "supervision.chooseAll")}<//></div>
    <${Loaded} load=${load}>${(/** @type {any} */ found) => (found.content.length
      ? html`<div class="table-inside"><${Table} label=${t("supervision.chats")} columns=${columns} rows=${found.content} /></div><${Pager} page=${found} onPage=${turn} />`
      : html`<div class="card"><${Empty} icon="check" title=${t("supervision.noChats")} /></div>`)}<//></section>`;
}
