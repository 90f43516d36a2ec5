// Teams: how chats are assigned, business hours, members with their limits.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { faultsByField } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Button, Select, Switch, Tag, TextArea, TextField } from "#ui/controls.js";
import { Dialog } from "#ui/dialog.js";
import { Empty, Fault, Loaded } from "#ui/states.js";
import { Table } from "#ui/table.js";
import { report, reportFault } from "#ui/toast.js";
import { HolidayFields, WeekFields, hoursText } from "./hours.js";

/** @typedef {{weekly: import("./hours.js").Interval[], holidays?: import("./hours.js").Holiday[]}} Hours */
/** @typedef {{id: string, name: string, assignment: string, timeZone: string, businessHours: Hours | null, afterHoursText: string | null, open: boolean}} Team */

const ASSIGNMENTS = ["off", "round-robin", "least-busy"];

export function Teams() {
  const [dialog, setDialog] = useState(/** @type {null | "new" | Team} */ (null));
  const load = useLoad((signal) => api.get("/api/v1/teams", { size: 500 }, { signal }), []);
  const columns = [
    { key: "name", title: t("supervision.team"), cell: (/** @type {Team} */ one) => one.name },
    { key: "open", title: t("supervision.state"), cell: (/** @type {Team} */ one) => html`<${Tag} tone=${one.open ? "success" : "warning"}>${t(one.open ? "supervision.open" : "supervision.closedNow")}<//>` },
    { key: "assignment", title: t("supervision.assignment"), cell: (/** @type {Team} */ one) => t(`supervision.assignment_${one.assignment}`) },
    { key: "hours", title: t("supervision.hours"), cell: (/** @type {Team} */ one) => html`<span class="soft">${one.businessHours ? hoursText(one.businessHours.weekly) : t("supervision.alwaysOpen")}</span>` },
    { key: "zone", title: t("supervision.timeZone"), cell: (/** @type {Team} */ one) => html`<span class="soft">${one.timeZone}</span>` },
  ];
  const close = () => {
    setDialog(null);
    load.reload();
  };
  return html`<div class="stack loose"><section class="stack"><div class="row between"><h2>${t("supervision.part_teams")}</h2><${Button} kind="primary" icon="plus" onClick=${() => setDialog("new")}>${t("supervision.newTeam")}<//></div>
    <${Loaded} load=${load}>${(/** @type {any} */ found) => (found.content.length ? html`<${Table} label=${t("supervision.part_teams")} columns=${columns} rows=${found.content} onOpen=${setDialog} />`
      : html`<div class="card"><${Empty} icon="contacts" title=${t("supervision.noTeams")} /></div>`)}<//></section>
    <${Members} teams=${load.data?.content ?? []} />
    ${dialog && html`<${TeamDialog} team=${dialog === "new" ? undefined : dialog} onClose=${close} />`}</div>`;
}

/** @param {{team?: Team, onClose: () => void}} props */
function TeamDialog({ team, onClose }) {
  const [name, setName] = useState(team?.name ?? "");
  const [assignment, setAssignment] = useState(team?.assignment ?? "off");
  const [zone, setZone] = useState(team?.timeZone ?? "");
  const [always, setAlways] = useState(!team?.businessHours);
  const [weekly, setWeekly] = useState(team?.businessHours?.weekly ?? []);
  const [holidays, setHolidays] = useState(team?.businessHours?.holidays ?? []);
  const [text, setText] = useState(team?.afterHoursText ?? "");
  const [fault, setFault] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const faults = faultsByField(fault);
  const send = async () => {
    setBusy(true);
    const body = { name, assignment, timeZone: zone.trim() || null, businessHours: always ? null : { weekly, holidays: holidays.filter((one) => one.date) }, afterHoursText: text.trim() || null };
    try {
      if (team) await api.put(`/api/v1/teams/${team.id}`, body);
      else await api.post("/api/v1/teams", body);
      report(t("supervision.teamSaved", { name }));
      onClose();
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${team?.name ?? t("supervision.newTeam")} wide=${true} onClose=${onClose} onSubmit=${send} foot=${html`<${Button} onClick=${onClose}>${t("common.cancel")}<//><${Button} kind="primary" type="submit" busy=${busy}>${t("common.save")}<//>`}>
    <div class="two-fields"><${TextField} label=${t("supervision.name")} value=${name} onValue=${setName} fault=${faults.name} required=${true} />
      <${Select} label=${t("supervision.assignment")} value=${assignment} options=${ASSIGNMENTS.map((one) => [one, t(`supervision.assignment_${one}`)])} onValue=${setAssignment} fault=${faults.assignment} />
      <${TextField} label=${t("supervision.timeZone")} value=${zone} onValue=${setZone} fault=${faults.timeZone} placeholder="Africa/Johannesburg" /></div>
    <${Switch} label=${t("supervision.alwaysOpen")} checked=${always} onValue=${setAlways} />
    ${!always && html`<${WeekFields} weekly=${weekly} onValue=${setWeekly} /><${HolidayFields} holidays=${holidays} onValue=${setHolidays} />
      <${TextArea} label=${t("supervision.afterHoursText")} hint=${t("supervision.afterHoursHint")} value=${text} onValue=${setText} fault=${faults.afterHoursText} rows="2" />`}
    ${fault && html`<${Fault} error=${fault} />`}<//>`;
}

/** Agents with their team and the number of chats that each may have. @param {{teams: Team[]}} props */
function Members({ teams }) {
  const load = useLoad(async (signal) => {
    const users = await api.get("/api/v1/users", { size: 500 }, { signal });
    return users.content.filter((/** @type {any} */ one) => ["ADMIN", "SUPERVISOR", "AGENT"].includes(one.role));
  }, []);
  const run = async (/** @type {Promise<any>} */ call, /** @type {string} */ said) => {
    try {
      await call;
      report(said);
    } catch (error) {
      reportFault(error);
    }
    load.reload();
  };
  const limit = (/** @type {any} */ one, /** @type {string} */ value) => run(api.put(`/api/v1/users/${one.id}/chat-limit`, { chatLimit: value === "" ? null : Number(value) }), t("supervision.limitSaved", { name: one.name }));
  const move = (/** @type {any} */ one, /** @type {string} */ id) => run(id ? api.put(`/api/v1/teams/${id}/members/${one.id}`) : api.remove(`/api/v1/teams/${one.teamId}/members/${one.id}`), t("supervision.memberSaved", { name: one.name }));
  return html`<section class="stack"><h2>${t("supervision.members")}</h2><${Loaded} load=${load}>${(/** @type {any[]} */ users) => html`<div class="table-inside"><${Table} label=${t("supervision.members")} rows=${users} columns=${[
    { key: "name", title: t("supervision.agent"), cell: (/** @type {any} */ one) => html`${one.name} <span class="soft">${t(`roles.${one.role}`)}</span>` },
    { key: "team", title: t("supervision.team"), cell: (/** @type {any} */ one) => html`<${Select} label=${t("supervision.teamOf", { name: one.name })} hideLabel=${true} value=${one.teamId ?? ""} options=${[["", t("supervision.noTeam")], ...teams.map((team) => [team.id, team.name])]} onValue=${(/** @type {string} */ id) => move(one, id)} />` },
    { key: "limit", title: t("supervision.chatLimit"), cell: (/** @type {any} */ one) => html`<${Limit} user=${one} onLimit=${limit} />` },
  ]} /></div>`}<//></section>`;
}

/** The field of a limit keeps the text that is typed while the agents are read again. @param {{user: any, onLimit: (user: any, value: string) => Promise<void>}} props */
function Limit({ user, onLimit }) {
  const [text, setText] = useState(/** @type {string | null} */ (null));
  const save = async (/** @type {string} */ value) => {
    await onLimit(user, value);
    // If the viewer has typed since then, the field keeps that text.
    setText((now) => (now === value ? null : now));
  };
  return html`<${TextField} label=${t("supervision.limitOf", { name: user.name })} hideLabel=${true} class="limit" type="number" min="0" value=${text ?? user.chatLimit ?? ""} placeholder=${t("supervision.usual")}
    onValue=${setText} onChange=${(/** @type {any} */ event) => save(event.currentTarget.value)} />`;
}
