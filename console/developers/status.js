// The state of a message as a mark.
import { html } from "htm/preact";
import { known } from "#app/i18n.js";
import { Tag } from "#ui/controls.js";

/** @type {Record<string, string>} */
const TONES = {
  DELIVERED: "success", READ: "success", PLAYED: "success", FAILED: "danger", SENT: "info", ACCEPTED: "info", REFUSED: "danger", RETRY: "warning",
  UNANSWERED: "warning", DROPPED: "warning", EXHAUSTED: "danger", DISABLED: "danger", FAILING: "warning", ON: "success", PAUSED: "warning", OPEN: "info", DONE: "success", CANCELLED: "warning",
};

/** @param {{state: string}} props */
export function State({ state }) {
  return html`<${Tag} tone=${TONES[state] ?? ""}>${known(`states.${state}`) ?? state}<//>`;
}
