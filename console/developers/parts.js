// Small parts that the pages of developers share.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "#app/i18n.js";
import { Link } from "#app/router.js";
import { fullTime, shortTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { report, reportFault } from "#ui/toast.js";

/** Links to the parts of a page. On a narrow screen the present one is in view. @param {{label: string, tabs: Array<{to: string, text: string, current: boolean}>}} props */
export function Tabs({ label, tabs }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const current = tabs.find((tab) => tab.current)?.to;
  useEffect(() => list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  return html`<nav ref=${list} class="tabs head-tabs" aria-label=${label}>${tabs.map((tab) => html`
    <${Link} key=${tab.to} to=${tab.to} aria-current=${tab.current ? "page" : undefined}>${tab.text}<//>`)}</nav>`;
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    report(t("common.copied"));
  } catch (error) {
    reportFault(error);
  }
}

/** @param {{text: string, label?: string}} props */
export function Copy({ text, label }) {
  return html`<${Button} kind="quiet small" icon="copy" label=${label ?? t("common.copy")} onClick=${() => copy(text)} />`;
}

/** An id with a button that copies it. @param {{id: string}} props */
export function Id({ id }) {
  return html`<span class="row"><span class="id">${id}</span><${Copy} text=${id} /></span>`;
}

/** A time: short, and whole as its tip. @param {{time?: string | null}} props */
export function Time({ time }) {
  return time ? html`<time datetime=${time} title=${fullTime(time)}>${shortTime(time)}</time>` : null;
}

/** A phone number with its plus; another address as it is. @param {string | null | undefined} address */
export function withPlus(address) {
  return address && /^\d+$/.test(address) ? `+${address}` : (address ?? "");
}

/** JSON as people read it; other texts as they are. @param {string} text */
export function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A text of a machine, with a heading. @param {{title: string, text: string}} props */
export function Code({ title, text }) {
  const shown = readable(text);
  return html`<div class="code-box"><div class="row between"><span class="tiny soft">${title}</span><${Copy} text=${shown} label=${t("developers.copyNamed", { name: title })} /></div>
    <pre class="code" tabindex="0" role="group" aria-label=${title}>${shown}</pre></div>`;
}

/** A secret that is shown on request. @param {{label: string, load: () => Promise<string>}} props */
export function Secret({ label, load }) {
  const [value, setValue] = useState("");
  const show = async () => {
    try {
      setValue(value ? "" : await load());
    } catch (error) {
      reportFault(error);
    }
  };
  return html`<div class="once" role="group" aria-label=${label}><code>${value || "••••••••••••••••••••••••"}</code>
    <${Button} kind="small" onClick=${show}>${t(value ? "developers.hide" : "developers.show")}<//>${value && html`<${Copy} text=${value} />`}</div>`;
}

/** A value that the server shows only once. @param {{label: string, value: string}} props */
export function ShownOnce({ label, value }) {
  return html`<div class="stack tight" role="status"><p class="small">${label}</p><div class="once"><code>${value}</code><${Copy} text=${value} /></div></div>`;
}

/** Runs something and reports its end. Resolves to whether it went well. @param {() => Promise<unknown>} run @param {string} [done] */
export async function attempt(run, done) {
  try {
    await run();
    if (done) report(done);
    return true;
  } catch (error) {
    reportFault(error);
    return false;
  }
}

/** @param {{label: string, value?: any, children?: any}} props */
export function Fact({ label, value, children }) {
  if (!children && (value === undefined || value === null || value === "")) return null;
  return html`<dt>${label}</dt><dd>${children ?? value}</dd>`;
}
