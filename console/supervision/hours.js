// Business hours of a team: intervals by day of the week, and holidays.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { weekdayName } from "#app/time.js";
import { Button, TextField } from "#ui/controls.js";

/** @typedef {{day: string, from: string, to: string}} Interval */
/** @typedef {{date: string, name?: string | null}} Holiday */

const DAYS = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];

/** @param {string} day @param {"long" | "short"} [weekday] */
function dayName(day, weekday = "long") {
  return weekdayName(DAYS.indexOf(day), weekday);
}

/** The hours in one line. @param {Interval[]} weekly */
export function hoursText(weekly) {
  return DAYS.filter((day) => weekly.some((one) => one.day === day))
    .map((day) => `${dayName(day, "short")} ${weekly.filter((one) => one.day === day).map((one) => `${one.from}–${one.to}`).join(", ")}`).join(" · ");
}

/** @param {{weekly: Interval[], onValue: (weekly: Interval[]) => void}} props */
export function WeekFields({ weekly, onValue }) {
  const change = (/** @type {Interval} */ old, /** @type {Partial<Interval>} */ next) => onValue(weekly.map((one) => (one === old ? { ...one, ...next } : one)));
  return html`<fieldset class="week"><legend>${t("supervision.hours")}</legend>${DAYS.map((day) => html`<div key=${day} class="week-day"><span class="small strong">${dayName(day)}</span>
    <div class="stack tight">${weekly.filter((one) => one.day === day).map((one, index) => html`<div key=${index} class="row">
      <${TextField} label=${t("supervision.opens", { day: dayName(day) })} hideLabel=${true} type="time" value=${one.from} onValue=${(/** @type {string} */ from) => change(one, { from })} />
      <${TextField} label=${t("supervision.closes", { day: dayName(day) })} hideLabel=${true} type="time" value=${one.to} onValue=${(/** @type {string} */ to) => change(one, { to })} />
      <${Button} kind="quiet small" icon="trash" label=${t("supervision.removeHours", { day: dayName(day) })} onClick=${() => onValue(weekly.filter((other) => other !== one))} /></div>`)}
      <${Button} kind="quiet small" icon="plus" label=${t("supervision.addHours", { day: dayName(day) })} onClick=${() => onValue([...weekly, { day, from: "08:00", to: "17:00" }])} /></div></div>`)}</fieldset>`;
}

/** @param {{holidays: Holiday[], onValue: (holidays: Holiday[]) => void}} props */
export function HolidayFields({ holidays, onValue }) {
  const change = (/** @type {number} */ at, /** @type {Partial<Holiday>} */ next) => onValue(holidays.map((one, index) => (index === at ? { ...one, ...next } : one)));
  return html`<fieldset class="week"><legend>${t("supervision.holidays")}</legend>${holidays.map((one, index) => html`<div key=${index} class="row">
      <${TextField} label=${t("supervision.date")} hideLabel=${true} type="date" value=${one.date} onValue=${(/** @type {string} */ date) => change(index, { date })} />
      <div class="grow"><${TextField} label=${t("supervision.name")} hideLabel=${true} value=${one.name ?? ""} onValue=${(/** @type {string} */ name) => change(index, { name })} /></div>
      <${Button} kind="quiet small" icon="trash" label=${t("supervision.removeHoliday", { date: one.date })} onClick=${() => onValue(holidays.filter((_, at) => at !== index))} /></div>`)}
    <${Button} kind="small" icon="plus" onClick=${() => onValue([...holidays, { date: "", name: "" }])}>${t("supervision.addHoliday")}<//></fieldset>`;
}
