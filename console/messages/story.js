// The story of a message: its facts, why it failed, and its timeline.
import { html } from "htm/preact";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { Link, go } from "#app/router.js";
import { hasRole } from "#app/session.js";
import { Button, Switch } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Prose } from "#ui/prose.js";
import { Loaded } from "#ui/states.js";
import { Copy, Fact, Id, withPlus } from "../developers/parts.js";
import { State } from "../developers/status.js";
import { story } from "./find.js";
import { Timeline } from "./timeline.js";

/** Messages that may still change are read again. */
const AGAIN_MS = 3000;
const LAST = new Set(["READ", "PLAYED", "FAILED"]);

/** @param {{id: string, full: boolean, back: Record<string, string>}} props */
export function Story({ id, full, back }) {
  const load = useLoad((signal) => story(id, signal), [id]);
  const status = load.data?.status ?? "";
  const waits = load.data?.timeline.some((/** @type {any} */ one) => one.kind === "WEBHOOK" && one.outcome === "PENDING");
  useRefresh(load, !status || (LAST.has(status) && !waits) ? 0 : AGAIN_MS);
  const show = (/** @type {boolean} */ on) => go(`/messages/${encodeURIComponent(id)}`, { search: { ...back, view: on ? "full" : undefined }, replace: true });
  return html`<div class="pane"><${Loaded} load=${load}>${(/** @type {any} */ message) => html`
    <header class="stack tight">
      <div class="row wrap"><${Button} kind="quiet small" class="split-back" icon="arrowLeft" label=${t("messages.back")} onClick=${() => go("/messages", { search: back })} />
        <h2 class="grow">${message.receiver ? `+${message.receiver}` : message.recipientUserId}</h2><${State} state=${message.status} />
        <${Copy} text=${location.origin + location.pathname} label=${t("messages.copyLink")} /></div>
      <p class="soft small">${[t(`channels.${message.channel}`), message.templateName, message.category?.toLowerCase()].filter(Boolean).join(" · ")}</p></header>
    <${Failure} entries=${message.timeline} failed=${message.status === "FAILED"} />
    <dl class="facts">
      <${Fact} label="gstId"><${Id} id=${message.gstId} /><//>
      ${message.ctId && html`<${Fact} label="ctId"><${Id} id=${message.ctId} /><//>`}
      ${message.batchId && html`<${Fact} label="batchId"><${Link} class="id" to=${`/sends/${message.batchId}`}>${message.batchId}<//><//>`}
      ${message.requestId && html`<${Fact} label="requestId">${hasRole("ADMIN", "DEVELOPER") ? html`<${Link} class="id" to="/administration/requests" search=${{ requestId: message.requestId }}>${message.requestId}<//>` : html`<${Id} id=${message.requestId} />`}<//>`}
      <${Fact} label=${t("messages.sender")} value=${withPlus(message.sender)} />
    </dl>
    <section class="stack"><div class="section-head"><h3>${t("messages.timeline")}</h3><${Switch} label=${t("messages.full")} checked=${full} onValue=${show} /></div>
      <${Timeline} entries=${message.timeline} full=${full} /></section>`}<//></div>`;
}

/** The last failure, with its cause and cure from the list of failure codes. @param {{entries: any[], failed: boolean}} props */
function Failure({ entries, failed }) {
  const last = failed ? [...entries].reverse().find((one) => one.errorCode) : undefined;
  const code = last?.errorCode ?? "";
  const load = useLoad(async (signal) => {
    if (!code) return null;
    const page = await api.get("/messaging-service/WhatsApp/failure-codes", { searchString: code, size: 20 }, { signal });
    return page.content.find((/** @type {any} */ one) => one.errorCode === code) ?? null;
  }, [code]);
  if (!last) return null;
  return html`<div class="banner danger rounded"><${Icon} name="alert" /><div class="stack tight grow"><strong>${code} ${last.errorCodeString}</strong>
    ${load.data && html`<span><${Prose} text=${t("messages.cause", { cause: load.data.cause })} /></span><span><${Prose} text=${t("messages.cure", { cure: load.data.cure })} /></span>`}</div></div>`;
}
