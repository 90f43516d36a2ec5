// Numbers, sizes and lengths of time in the language of the viewer.
import { formatNumber } from "#app/formats.js";

/** @param {number} value @param {number} [digits] the most digits of the fraction */
export function number(value, digits = 0) {
  return formatNumber(value, { maximumFractionDigits: digits });
}

/** @param {number} share from 0 to 1 */
export function percentOf(share) {
  return formatNumber(share, { style: "percent", maximumFractionDigits: 1 });
}

/** A number with a unit of ECMA-402, such as `second`. @param {number} value @param {string} unit @param {number} [digits] @param {"short" | "long"} [unitDisplay] */
export function inUnit(value, unit, digits = 0, unitDisplay = "short") {
  return formatNumber(value, { style: "unit", unit, unitDisplay, maximumFractionDigits: digits });
}

/** @param {number} ms */
export function milliseconds(ms) {
  return inUnit(ms, "millisecond", ms < 10 ? 1 : 0);
}

/** The size of a file, in units of 1,000. @param {number} bytes */
export function fileSize(bytes) {
  return bytes < 1_000_000 ? inUnit(Math.max(1, bytes / 1000), "kilobyte") : inUnit(bytes / 1_000_000, "megabyte", 1);
}
