// Figures of a period: numbers, charts by day, hour, channel, team and agent, and the same as CSV.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api, download } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { inUnit } from "#app/numbers.js";
import { shortDay } from "#app/time.js";
import { Button, Select, TextField } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Table } from "#ui/table.js";
import { Tile } from "#ui/tile.js";
import { reportFault } from "#ui/toast.js";
import { dayIn, everyDay } from "./days.js";

/** @typedef {{count: number, mean: number | null, median: number | null, p90: number | null}} Durations */
/** @typedef {{group: string, key: string | null, name: string | null, opened: number, closed: number, missed: number, afterHours: number, ratedPoor: number, ratedAverage: number, ratedExcellent: number, waiting: Durations, firstResponse: Durations, resolution: Durations}} Group */

const FIGURES = "/chat-service/api/v2/figures";
const PERIODS = ["1", "7", "30", "90"];
const DAY_MS = 86_400_000;

/** @param {number | null | undefined} seconds */
function time(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const [value, unit] = seconds < 90 ? [seconds, "second"] : seconds < 5400 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  return inUnit(value, unit, value < 10 ? 1 : 0);
}

export function Figures() {
  const [days, setDays] = useState("7");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [team, setTeam] = useState("");
  const teams = useLoad((signal) => api.get("/api/v1/teams", { size: 500 }, { signal }), []);
  const period = () => {
    if (days !== "own") return { from: new Date(Date.now() - Number(days) * DAY_MS).toISOString(), teamId: team };
    // Without a time, the browser takes a date for one of UTC.
    const midnight = (/** @type {string} */ date, days = 0) => {
      const time = new Date(`${date}T00:00`);
      if (Number.isNaN(time.getTime())) return "";
      time.setDate(time.getDate() + days);
      return time.toISOString();
    };
    return { from: midnight(from), to: midnight(to, 1), teamId: team };
  };
  const load = useLoad((signal) => api.get(FIGURES, period(), { signal }), [days, from, to, team]);
  const save = () => download(`${FIGURES}/export`, { ...period(), format: "csv" }, "figures.csv").catch(reportFault);
  return html`<div class="stack loose"><div class="supervision-filters">
      <${Select} label=${t("supervision.period")} value=${days} options=${[...PERIODS.map((one) => [one, t("supervision.lastDays", { count: Number(one) })]), ["own", t("supervision.ownPeriod")]]} onValue=${setDays} />
      ${days === "own" && html`<${TextField} label=${t("supervision.from")} type="date" value=${from} onValue=${setFrom} /><${TextField} label=${t("supervision.to")} type="date" value=${to} onValue=${setTo} />`}
      <${Select} label=${t("supervision.team")} value=${team} options=${[["", t("supervision.allTeams")], ...(teams.data?.content ?? []).map((/** @type {any} */ one) => [one.id, one.name])]} onValue=${setTeam} />
      <${Button} icon="download" onClick=${save}>CSV<//></div>
    <${Loaded} load=${load}>${(/** @type {{figures: Group[], timeZone: string}} */ { figures, timeZone }) => html`<${Period} figures=${figures} zone=${timeZone} least=${days === "own" ? 0 : Number(days)} />`}<//></div>`;
}

/** @param {{figures: Group[], zone: string, least: number}} props */
function Period({ figures, zone, least }) {
  const total = figures.find((one) => one.group === "total");
  if (!total || !total.opened) return html`<div class="card"><${Empty} icon="chart" title=${t("supervision.noFigures")}><p>${t("supervision.noFiguresHint")}</p><//></div>`;
  const of = (/** @type {string} */ group) => figures.filter((one) => one.group === group);
  const hours = Array.from({ length: 24 }, (_, hour) => ({ name: String(hour), value: of("hour").find((one) => Number(one.key) === hour)?.opened ?? 0 }));
  const days = everyDay(of("day"), least, dayIn(zone, new Date())).map(({ day, opened }) => ({ name: shortDay(day), value: opened }));
  const rated = total.ratedPoor + total.ratedAverage + total.ratedExcellent;
  return html`<dl class="tiles eight">
      <${Tile} title=${t("supervision.opened")} value=${total.opened} /><${Tile} title=${t("supervision.closed")} value=${total.closed} />
      <${Tile} title=${t("supervision.missed")} value=${total.missed} tone=${total.missed ? "danger" : ""} /><${Tile} title=${t("supervision.afterHours")} value=${total.afterHours} />
      <${Tile} title=${t("supervision.waitMedian")} value=${time(total.waiting.median)} /><${Tile} title=${t("supervision.responseMedian")} value=${time(total.firstResponse.median)} />
      <${Tile} title=${t("supervision.responseP90")} value=${time(total.firstResponse.p90)} /><${Tile} title=${t("supervision.resolutionMedian")} value=${time(total.resolution.median)} />
    </dl>
    <p class="small soft">${t("supervision.zone", { zone })}</p>
    <div class="grid charts">
      <${Columns} title=${t("supervision.byDay")} bars=${days} />
      <${Columns} title=${t("supervision.byHour")} bars=${hours} />
      <${Rows} title=${t("supervision.byChannel")} bars=${of("channel").map((one) => ({ name: t(`channels.${one.key}`), value: one.opened }))} />
      <${Rows} title=${t("supervision.ratings", { count: rated })} bars=${[["EXCELLENT", total.ratedExcellent], ["AVERAGE", total.ratedAverage], ["POOR", total.ratedPoor]].map(([key, value]) => ({ name: t(`supervision.rating_${key}`), value: Number(value) }))} />
    </div>
    <${Groups} title=${t("supervision.byTeam")} none=${t("supervision.noTeam")} rows=${of("team")} />
    <${Groups} title=${t("supervision.byAgent")} none=${t("supervision.noAgent")} rows=${of("agent")} />`;
}

/** @typedef {{name: string, value: number}} Bar */

/** @param {{title: string, bars: Bar[]}} props */
function Columns({ title, bars }) {
  const most = Math.max(1, ...bars.map((one) => one.value));
  const width = 100 / Math.max(1, bars.length);
  return html`<figure class="card chart"><figcaption>${title}</figcaption>
    <svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label=${bars.map((one) => `${one.name}: ${one.value}`).join(", ")}>
      ${bars.map((one, index) => html`<rect key=${index} x=${index * width + width * 0.12} width=${width * 0.76} y=${40 - (one.value / most) * 39} height=${(one.value / most) * 39 || 0.3}><title>${one.name}: ${one.value}</title></rect>`)}</svg>
    <div class="row between tiny soft number" aria-hidden="true"><span>${bars[0]?.name}</span><span>${t("supervision.most", { count: most })}</span><span>${bars[bars.length - 1]?.name}</span></div></figure>`;
}

/** @param {{title: string, bars: Bar[]}} props */
function Rows({ title, bars }) {
  const most = Math.max(1, ...bars.map((one) => one.value));
  return html`<figure class="card chart"><figcaption>${title}</figcaption><dl class="bar-rows">${bars.map((one) => html`<div key=${one.name}><dt>${one.name}</dt>
    <dd><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width=${(one.value / most) * 100} height="6" rx="1" /></svg><span class="number">${one.value}</span></dd></div>`)}</dl></figure>`;
}

/** @param {{title: string, none: string, rows: Group[]}} props */
function Groups({ title, none, rows }) {
  if (!rows.length) return null;
  const number = (/** @type {string} */ key, /** @type {string} */ text, /** @type {(one: Group) => any} */ cell) => ({ key, title: text, end: true, cell });
  return html`<section class="stack"><h2>${title}</h2><${Table} label=${title} rows=${rows} rowKey=${(/** @type {Group} */ one) => one.key ?? ""} columns=${[
    { key: "name", title: t("supervision.name"), cell: (/** @type {Group} */ one) => one.name ?? html`<span class="soft">${none}</span>` },
    number("opened", t("supervision.opened"), (one) => one.opened), number("missed", t("supervision.missed"), (one) => one.missed),
    number("wait", t("supervision.waitMedian"), (one) => time(one.waiting.median)), number("response", t("supervision.responseMedian"), (one) => time(one.firstResponse.median)),
    number("resolution", t("supervision.resolutionMedian"), (one) => time(one.resolution.median)), number("good", t("supervision.rating_EXCELLENT"), (one) => one.ratedExcellent),
  ]} /></section>`;
}
