// The problems of the service, its main figures, and its processes.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { number } from "#app/numbers.js";
import { fullTime } from "#app/time.js";
import { Tag } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Empty } from "#ui/states.js";
import { Tile } from "#ui/tile.js";
import { Section, age, size } from "./parts.js";

/** @typedef {import("./types.js").Process} Process */
/** @typedef {import("./types.js").Status} Status */

/** A process holds the lanes of these queues for as long as an account or a session lasts: the age of their rows is no delay. */
const HELD = new Set(["account", "lite_session"]);

/** @param {{status: Status}} props */
export function Overview({ status }) {
  const sum = (/** @type {"waiting" | "due"} */ field) => status.queues.reduce((all, queue) => all + queue[field], 0);
  const oldest = Math.max(-1, ...status.queues.filter((queue) => !HELD.has(queue.name)).map((queue) => queue.oldestDueSeconds ?? -1));
  const running = status.processes.filter((process) => process.state === "RUNNING");
  const schema = status.schema === status.programSchema ? String(status.schema) : `${status.schema} / ${status.programSchema}`;
  return html`<${Problems} problems=${status.problems} />
    <dl class="tiles eight">
      <${Tile} title=${t("operators.running")} value=${number(running.length)} tone=${running.length ? "" : "danger"} />
      <${Tile} title=${t("operators.waiting")} value=${number(sum("waiting"))} />
      <${Tile} title=${t("operators.due")} value=${number(sum("due"))} />
      <${Tile} title=${t("operators.age")} value=${age(oldest < 0 ? null : oldest)} />
      <${Tile} title=${t("operators.database")} value=${size(status.storage.databaseBytes)} />
      <${Tile} title=${t("operators.version")} value=${html`<span title=${status.commit}>${status.version}</span>`} />
      <${Tile} title=${t("operators.schema")} value=${schema} tone=${status.schema === status.programSchema ? "" : "danger"} />
    </dl>
    <${Processes} status=${status} />`;
}

/** @param {{problems: import("./types.js").Problem[]}} props */
function Problems({ problems }) {
  if (!problems.length) return html`<div class="card"><${Empty} icon="check" title=${t("operators.allWell")}><p>${t("operators.allWellHint")}</p><//></div>`;
  return html`<section class="stack" aria-label=${t("operators.problems")}><h2>${t("operators.problems")}</h2>
    <ul class="operator-problems">${problems.map((one) => html`<li key=${`${one.kind} ${one.subject}`}><div class="banner danger rounded"><${Icon} name="alert" />
      <div class="grow"><strong>${t(`operators.problem.${one.kind}`)}</strong><span>${one.subject}${one.detail ? `: ${one.detail}` : ""}</span></div></div></li>`)}</ul></section>`;
}

/** @param {{status: Status}} props */
function Processes({ status }) {
  const now = new Date(status.time).getTime();
  const nodes = new Map(status.nodes.map((node) => [node.id, node]));
  const tone = (/** @type {Process} */ one) => (one.state === "RUNNING" ? "success" : one.state === "SILENT" ? "danger" : "");
  const uptime = (/** @type {Process} */ one) => (one.state === "RUNNING" && one.startedTime ? age((now - new Date(one.startedTime).getTime()) / 1000) : "–");
  const pool = (/** @type {Process} */ one) => (one.databaseConnections ? t("operators.pool", one.databaseConnections) : "–");
  const lanes = (/** @type {Process} */ one) => {
    const node = nodes.get(one.id);
    return node ? html`<span title=${t("operators.workSince", { time: fullTime(node.startedTime) })}>${number(node.lanes)}</span>` : "–";
  };
  return html`<${Section} title=${t("operators.processes")} rows=${status.processes} rowKey=${(/** @type {Process} */ one) => one.id} columns=${[
    { key: "process", title: t("operators.process"), cell: (/** @type {Process} */ one) => html`<span title=${one.id}>${one.host ?? one.id.slice(0, 8)} <span class="soft number">${one.pid ?? ""}</span></span>` },
    { key: "listen", title: t("operators.listen"), cell: (/** @type {Process} */ one) => html`<span class="number">${one.listen ?? "–"}</span>` },
    { key: "state", title: t("operators.conditionTitle"), cell: (/** @type {Process} */ one) => html`<${Tag} tone=${tone(one)} title=${fullTime(one.reportedTime)}>${t(`operators.state.${one.state}`)}<//>` },
    { key: "role", title: t("operators.roleTitle"), cell: (/** @type {Process} */ one) => (one.role ? t(`operators.role.${one.role}`) : html`<span class="soft">${t("operators.otherVersion")}</span>`) },
    { key: "version", title: t("operators.version"), cell: (/** @type {Process} */ one) => html`<span title=${one.commit}>${one.version ?? "–"}</span>` },
    { key: "up", title: t("operators.up"), end: true, cell: uptime },
    { key: "memory", title: t("operators.memory"), end: true, cell: (/** @type {Process} */ one) => size(one.residentBytes) },
    { key: "files", title: t("operators.files"), end: true, cell: (/** @type {Process} */ one) => `${one.openFiles ?? "–"} / ${one.openFilesMax ?? "–"}` },
    { key: "pool", title: t("operators.connections"), end: true, cell: pool },
    { key: "lanes", title: t("operators.lanes"), end: true, cell: lanes },
  ]} />`;
}
