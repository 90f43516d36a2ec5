// The days of figures: each day up to today, which is that of the client's time zone and not of UTC or of the browser.
import { deepStrictEqual } from "node:assert";
import { join } from "node:path";

const top = new URL("../../../console/", import.meta.url).pathname;
const { dayIn, everyDay } = await import(join(top, "supervision/days.js"));

const evening = new Date("2026-11-28T22:30:00Z");
deepStrictEqual(["UTC", "Africa/Johannesburg", "Pacific/Kiritimati", "Pacific/Pago_Pago"].map((zone) => dayIn(zone, evening)),
  ["2026-11-28", "2026-11-29", "2026-11-29", "2026-11-28"]);
// The last second of a day, and the first of the next.
deepStrictEqual(["2026-12-31T21:59:59Z", "2026-12-31T22:00:00Z"].map((time) => dayIn("Africa/Johannesburg", new Date(time))), ["2026-12-31", "2027-01-01"]);
deepStrictEqual(dayIn("Mars/Olympus", evening), "2026-11-28");

const groups = [{ key: "2026-11-29", opened: 2 }, { key: "2026-11-27", opened: 5 }];
const days = (least, today) => everyDay(groups, least, today).map(({ day, opened }) => `${day.slice(8)}:${opened}`).join(" ");
deepStrictEqual(days(3, "2026-11-29"), "27:5 28:0 29:2");
deepStrictEqual(days(2, "2026-11-30"), "27:5 28:0 29:2 30:0");
deepStrictEqual(days(5, "2026-11-29"), "25:0 26:0 27:5 28:0 29:2");
// An own period has no today.
deepStrictEqual(days(0, "2026-11-30"), "27:5 28:0 29:2");
// Without chats there are the days of the period, or none.
deepStrictEqual(everyDay([], 2, "2026-03-01"), [{ day: "2026-02-28", opened: 0 }, { day: "2026-03-01", opened: 0 }]);
deepStrictEqual(everyDay([], 0, "2026-03-01"), []);
