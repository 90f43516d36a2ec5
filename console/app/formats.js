// Numbers and times as Intl writes them in the language of the viewer. Making a format is slow, so each is kept.
import { language } from "#app/i18n.js";

/** @type {Map<string, Intl.NumberFormat>} */
const ofNumbers = new Map();
/** @type {Map<string, Intl.DateTimeFormat>} */
const ofTimes = new Map();

/** @param {number} value @param {Intl.NumberFormatOptions} options */
export function formatNumber(value, options) {
  return formatOf(ofNumbers, options, (name) => new Intl.NumberFormat(name, options)).format(value);
}

/** @param {Date} time @param {Intl.DateTimeFormatOptions} options */
export function formatTime(time, options) {
  return formatOf(ofTimes, options, (name) => new Intl.DateTimeFormat(name, options)).format(time);
}

/**
 * The format of the present language and these options.
 * @template T
 * @param {Map<string, T>} formats
 * @param {object} options
 * @param {(name: string) => T} make
 * @returns {T}
 */
function formatOf(formats, options, make) {
  const name = language();
  const key = name + JSON.stringify(options);
  let format = formats.get(key);
  if (!format) formats.set(key, (format = make(name)));
  return format;
}
