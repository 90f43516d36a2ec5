// The findings of the checker. Each leads to its node and field.
import { html } from "htm/preact";
import { t } from "#app/i18n.js";
import { Icon } from "#ui/icons.js";
import { Fault } from "#ui/states.js";
import { ENTRY } from "./model.js";

/** @typedef {import("./check.js").Finding} Finding */

/** @param {{check: import("./check.js").Check, onOpen: (finding: Finding) => void}} props */
export function Findings({ check, onOpen }) {
  const { findings, busy, error } = check;
  const title = error ? t("flows.unchecked") : busy ? t("flows.checking") : findings.length ? t("flows.findings", { count: findings.length }) : t("flows.noFindings");
  return html`<section class="flow-findings" aria-label=${t("flows.findingsTitle")} data-checked=${String(!busy)}>
    <p class=${`flow-findings-title small ${findings.length ? "danger-text" : "soft"}`} role="status"><${Icon} name=${busy ? "clock" : findings.length || error ? "alert" : "check"} size="small" />${title}</p>
    ${error && !busy ? html`<${Fault} error=${error} />` : null}
    ${findings.length > 0 && html`<ul class="flow-findings-list scroll" tabindex="-1">${findings.map((one, index) => html`<li key=${index}><button type="button" class="flow-finding" onClick=${() => onOpen(one)}>
      <strong>${one.node === ENTRY ? t("flows.wholeFlow") : one.node}</strong>${one.field && html` <code class="tiny">${one.field}</code>`} <span>${one.message}</span></button></li>`)}</ul>`}</section>`;
}
