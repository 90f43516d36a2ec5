// Days of figures. The API counts chats by the day in the time zone of the client.

const DAY_MS = 86_400_000;

/**
 * The day at a moment, such as `2026-11-28`. A browser that does not know the zone takes UTC.
 * @param {string} zone
 * @param {Date} moment
 */
export function dayIn(zone, moment) {
  try {
    const form = new Intl.DateTimeFormat("en-u-ca-gregory", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
    const parts = new Map(form.formatToParts(moment).map(({ type, value }) => [String(type), value]));
    return ["year", "month", "day"].map((type) => parts.get(type)).join("-");
  } catch {
    return moment.toISOString().slice(0, 10);
  }
}

/**
 * The number of chats of each day, also of days without chats, which the API leaves out.
 * @param {{key: string | null, opened: number}[]} groups
 * @param {number} least days up to today, or 0 for an own period
 * @param {string} today
 * @returns {{day: string, opened: number}[]}
 */
export function everyDay(groups, least, today) {
  const opened = new Map(groups.map((one) => [String(one.key), one.opened]));
  const keys = least ? [...opened.keys(), today] : [...opened.keys()];
  // A day without a time is midnight in UTC, where each day has 24 hours.
  const times = keys.map((key) => Date.parse(key)).filter(Number.isFinite);
  if (!times.length) return [];
  const end = Math.max(...times);
  const days = [];
  for (let time = Math.min(...times, end - (least - 1) * DAY_MS); time <= end; time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10);
    days.push({ day, opened: opened.get(day) ?? 0 });
  }
  return days;
}
