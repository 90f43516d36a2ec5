// The pages of operators: the state of the whole service. They load it again by themselves, unless the viewer pauses them.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad, useRefresh } from "#app/load.js";
import { useCommands } from "#app/palette.js";
import { Link, go } from "#app/router.js";
import { clockTime, fullTime } from "#app/time.js";
import { Button } from "#ui/controls.js";
import { Empty, Loaded } from "#ui/states.js";
import { Clients } from "./clients.js";
import { Connections } from "./connections.js";
import { Overview } from "./overview.js";
import { Plugins } from "./plugins.js";
import { Queues } from "./queues.js";
import { Storage } from "./storage.js";

/** @type {Record<string, any>} */
const PARTS = { overview: Overview, queues: Queues, connections: Connections, plugins: Plugins, storage: Storage, clients: Clients };
const EVERY_MS = 5000;

/** @param {string} part */
function addressOf(part) {
  return part === "overview" ? "/operators" : `/operators/${part}`;
}

/** @param {{part?: string}} props */
export default function Operators({ part = "overview" }) {
  const [paused, setPaused] = useState(false);
  const load = useLoad((signal) => api.get("/operator-service/api/v1/status", undefined, { signal }), []);
  useRefresh(load, paused ? 0 : EVERY_MS);
  useCommands({
    title: t("operators.parts"),
    commands: () => Object.keys(PARTS).map((one) => ({ text: t(`operators.part.${one}`), icon: "server", run: () => go(addressOf(one)) })),
  });
  const view = PARTS[part];
  return html`<div class="page"><header class="page-head"><h1 class="grow">${t("nav.operators")}</h1>
      ${load.data && html`<time class="small soft number" title=${fullTime(load.data.time)}>${t("operators.reported", { time: clockTime(load.data.time) })}</time>`}
      <${Button} icon=${paused ? "play" : "pause"} aria-pressed=${String(paused)} onClick=${() => setPaused(!paused)}>${t(paused ? "operators.resume" : "operators.pause")}<//></header>
    <nav class="tabs operator-tabs" aria-label=${t("operators.parts")}>${Object.keys(PARTS).map((one) => html`<${Link} key=${one} to=${addressOf(one)}
      aria-current=${one === part ? "page" : undefined}>${t(`operators.part.${one}`)}<//>`)}</nav>
    <div class="page-body">${view ? html`<${Loaded} load=${load}>${(/** @type {import("./types.js").Status} */ status) => html`<div class="stack loose">
      <${view} key=${part} status=${status} /></div>`}<//>` : html`<${Empty} icon="search" title=${t("shell.noSuchPage")} />`}</div></div>`;
}
