// Times in the zone and the language of the viewer.
import { signal } from "@preact/signals";
import { formatTime } from "#app/formats.js";
import { t } from "#app/i18n.js";

/** The present minute, for texts such as "5 min". */
export const minute = signal(Date.now());
setInterval(() => {
  minute.value = Date.now();
}, 15_000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The whole time, for tips. @param {string | number | Date} value */
export function fullTime(value) {
  return formatTime(new Date(value), { dateStyle: "medium", timeStyle: "medium" });
}

/** A time from a field of the browser as the API takes it, or an empty text if the field has none. @param {string} text */
export function instant(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}

/** Hour and minute. @param {string | number | Date} value */
export function clockTime(value) {
  return formatTime(new Date(value), { hour: "numeric", minute: "2-digit" });
}

/** The clock of a log: 24 hours, seconds, and with `digits` parts of a second. @param {string | number | Date} value @param {1 | 2 | 3} [digits] */
export function logTime(value, digits) {
  return formatTime(new Date(value), { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: digits, hourCycle: "h23" });
}

/** A short date of a day of UTC. @param {string | number} value */
export function shortDay(value) {
  return formatTime(new Date(value), { day: "numeric", month: "short", timeZone: "UTC" });
}

/** The name of a day of the week; 0 is Monday. @param {number} day @param {"long" | "short"} weekday */
export function weekdayName(day, weekday) {
  // 5 January 2026 is a Monday.
  return formatTime(new Date(Date.UTC(2026, 0, 5 + day)), { weekday, timeZone: "UTC" });
}

/** A short date with its time. @param {string | number | Date} value */
export function shortTime(value) {
  return formatTime(new Date(value), { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
}

/** The day: today, yesterday, otherwise its date. @param {string | number | Date} value */
export function dayName(value) {
  const time = new Date(value);
  const days = Math.round((startOfDay(new Date(minute.value)) - startOfDay(time)) / DAY);
  if (days === 0) return t("time.today");
  if (days === 1) return t("time.yesterday");
  const year = time.getFullYear() === new Date(minute.value).getFullYear() ? undefined : "numeric";
  return formatTime(time, { weekday: "long", day: "numeric", month: "long", year });
}

/** @param {Date} time */
function startOfDay(time) {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}

/** The time for a narrow list: the clock today, otherwise the date. @param {string | number | Date} value */
export function listTime(value) {
  const time = new Date(value);
  const now = new Date(minute.value);
  if (startOfDay(time) === startOfDay(now)) return clockTime(time);
  if (startOfDay(now) - startOfDay(time) < 6 * DAY) return formatTime(time, { weekday: "short" });
  const year = time.getFullYear() === now.getFullYear() ? undefined : "2-digit";
  return formatTime(time, { day: "numeric", month: "short", year });
}

/** A duration in its largest units, such as "5 min" or "3 h 20 min". @param {number} ms */
export function duration(ms) {
  const whole = Math.max(0, ms);
  if (whole < MINUTE) return t("time.underMinute");
  if (whole < HOUR) return t("time.minutes", { minutes: Math.floor(whole / MINUTE) });
  if (whole < DAY) {
    const minutes = Math.floor((whole % HOUR) / MINUTE);
    return minutes ? t("time.hoursMinutes", { hours: Math.floor(whole / HOUR), minutes }) : t("time.hours", { hours: Math.floor(whole / HOUR) });
  }
  return t("time.days", { count: Math.floor(whole / DAY) });
}

/** How long ago a time is. It follows the clock. @param {string | number | Date} value */
export function since(value) {
  return duration(minute.value - new Date(value).getTime());
}
