// Faults as the viewer sees them: a title in the viewer's language, and the cure that the server names.
import { known, t } from "#app/i18n.js";

/** @typedef {{field: string, message: string}} FieldFault */

/** An answer with status 400 or above, or no answer (status 0). Its fields are those of `docs/errors.md`. */
export class ApiError extends Error {
  /** @param {{status: number, error?: string, message?: string, details?: FieldFault[], requestId?: string, retryAfter?: number}} fault */
  constructor(fault) {
    super(fault.message ?? fault.error ?? `status ${fault.status}`);
    this.status = fault.status;
    this.error = fault.error ?? "";
    this.details = fault.details ?? [];
    this.requestId = fault.requestId ?? "";
    this.retryAfter = fault.retryAfter ?? 0;
  }
}

/** @param {unknown} error @returns {{title: string, cure: string, fields: FieldFault[], requestId: string}} */
export function describe(error) {
  if (!(error instanceof ApiError)) return { title: t("fault.console"), cure: String(error), fields: [], requestId: "" };
  if (error.status === 0) return { title: t("fault.unreachable"), cure: t("fault.unreachableCure"), fields: [], requestId: "" };
  const title = known(`fault.status${error.status}`) ?? error.error;
  return { title, cure: cureOf(error), fields: error.details, requestId: error.requestId };
}

/** Whether no answer came: another try may get one without any change. @param {unknown} error */
export function isUnreachable(error) {
  return error instanceof ApiError && error.status === 0;
}

/** The text of the server, unless a field says the same. @param {ApiError} error */
function cureOf(error) {
  if (error.message === `status ${error.status}`) return error.status >= 500 ? t("fault.laterCure") : "";
  const bare = error.message.replaceAll("`", "");
  return error.details.some((one) => bare === `${one.field} ${one.message}`.replaceAll("`", "")) ? "" : error.message;
}

/** Joins a title and its cure. The server begins a cure in lower case, the console begins it as a sentence. @param {string} title @param {string} cure */
export function oneLine(title, cure) {
  if (!cure) return title;
  return /^\p{Lu}/u.test(cure) ? `${title}. ${cure}` : `${title}: ${cure}`;
}

/** The faults of a form by field. @param {unknown} error @returns {Record<string, string>} */
export function faultsByField(error) {
  if (!(error instanceof ApiError)) return {};
  // The server marks words of the API with backticks, which a field cannot show.
  return Object.fromEntries(error.details.map((one) => [one.field, one.message.replaceAll("`", "")]));
}
