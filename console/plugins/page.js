// The pages of plugins: the list, and one plugin with its tabs.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useLoad } from "#app/load.js";
import { Link, go } from "#app/router.js";
import { Button, Tag } from "#ui/controls.js";
import { confirm } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Menu } from "#ui/menu.js";
import { Loaded } from "#ui/states.js";
import { report, reportFault } from "#ui/toast.js";
import { FLOW_PLUGIN } from "../flows/plugin.js";
import { ActivateDialog } from "./activate.js";
import { addressOf, listInboxes } from "./facts.js";
import { PluginList } from "./list.js";
import { OriginDialog } from "./origin.js";
import { Overview } from "./overview.js";
import { RollbackDialog } from "./rollback.js";
import { UploadDialog, useDrop } from "./upload.js";

/** @typedef {import("./types.js").Plugin} Plugin */

/** The tabs of a plugin, with the modules that are loaded when they are opened. @type {Record<string, () => Promise<{default: any}>>} */
const TABS = {
  trial: () => import("./trial.js"),
  log: () => import("./log.js"),
  conversations: () => import("./picture.js"),
  recordings: () => import("./recordings.js"),
  tester: () => import("./tester.js"),
  events: () => import("./events.js"),
};

/** @param {{name?: string, tab?: string}} props */
export default function Plugins({ name, tab = "" }) {
  return name ? html`<${OnePlugin} key=${name} name=${name} tab=${tab} />` : html`<${PluginList} />`;
}

/** @param {{name: string, tab: string}} props */
function OnePlugin({ name, tab }) {
  const load = useLoad(async (signal) => {
    const [plugin, inboxes] = await Promise.all([api.get(addressOf(name), { size: 100 }, { signal }), listInboxes(signal)]);
    return { plugin: /** @type {Plugin} */ (plugin), inboxes };
  }, [name]);
  const plugin = load.data?.plugin;
  // A built-in plugin, or one of the operator's directory, has no versions of the client.
  const uploaded = plugin?.source === "uploaded";
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const dropping = useDrop((file) => uploaded && setDialog({ kind: "upload", file }));
  const close = () => setDialog(null);
  const done = () => {
    close();
    load.reload();
  };
  return html`<div class=${`page ${dropping.over ? "drop-here" : ""}`} ...${dropping.listeners}>
    <header class="page-head">
      <${Link} to="/plugins" class="button quiet icon" aria-label=${t("plugins.back")} title=${t("plugins.back")}><${Icon} name="arrowLeft" /><//>
      <h1 class="clip">${name}</h1>
      ${plugin && html`<${Tag}>${t(`plugins.world_${plugin.world}`)}<//>`}
      ${name === FLOW_PLUGIN && html`<${Link} class="button" to="/flows"><${Icon} name="flow" />${t("nav.flows")}<//>`}
      ${uploaded && html`<${Button} icon="upload" onClick=${() => setDialog({ kind: "upload" })}>${t("plugins.newVersion")}<//>`}
      <${Button} icon="undo" disabled=${!plugin} onClick=${() => setDialog({ kind: "rollback" })}>${t("plugins.rollBack")}<//>
      <${Button} kind="primary" icon="play" disabled=${!plugin} onClick=${() => setDialog({ kind: "activate" })}>${t("plugins.activate")}<//>
      ${uploaded && html`<${Menu} label=${t("common.more")} icon="more" items=${[{ text: t("plugins.delete"), icon: "trash", danger: true, run: () => remove(name) }]} />`}
    </header>
    <nav class="tabs plugin-tabs" aria-label=${t("plugins.parts")}>${["", ...Object.keys(TABS)].map((one) => html`<${Link} key=${one} to=${`/plugins/${encodeURIComponent(name)}${one && `/${one}`}`}
      aria-current=${one === tab ? "page" : undefined}>${t(`plugins.tab_${one || "overview"}`)}<//>`)}</nav>
    <div class="page-body"><${Loaded} load=${load}>${(/** @type {any} */ { plugin: loaded, inboxes }) => (tab
      ? html`<${Tab} key=${tab} tab=${tab} plugin=${loaded} inboxes=${inboxes} reload=${load.reload} />`
      : html`<${Overview} plugin=${loaded} inboxes=${inboxes} reload=${load.reload} open=${setDialog} />`)}<//></div>
    ${dialog?.kind === "upload" && html`<${UploadDialog} name=${name} file=${dialog.file} onClose=${close} onDone=${done} />`}
    ${dialog?.kind === "activate" && html`<${ActivateDialog} plugin=${plugin} inboxes=${load.data?.inboxes ?? []} version=${dialog.version} of=${dialog.of} mode=${dialog.mode} onClose=${close} onDone=${done} />`}
    ${dialog?.kind === "origin" && html`<${OriginDialog} version=${dialog.version} user=${dialog.user} onClose=${close} />`}
    ${dialog?.kind === "rollback" && html`<${RollbackDialog} plugin=${plugin} inboxes=${load.data?.inboxes ?? []} to=${dialog.version} of=${dialog.of} onClose=${close} onDone=${done} />`}
  </div>`;
}

/** @param {{tab: string, plugin: Plugin, inboxes: any[], reload: () => void}} props */
function Tab({ tab, ...rest }) {
  const load = useLoad(async () => {
    if (!TABS[tab]) throw new Error(t("shell.noSuchPage"));
    return { view: (await TABS[tab]()).default };
  }, [tab]);
  useEffect(() => {
    document.title = `${rest.plugin.name}: ${t(`plugins.tab_${tab}`)} · Patchbay`;
  }, [tab]);
  return html`<${Loaded} load=${load}>${(/** @type {any} */ { view }) => html`<${view} ...${rest} />`}<//>`;
}

/** @param {string} name */
async function remove(name) {
  if (!(await confirm({ title: t("plugins.deleteTitle", { name }), text: t("plugins.deleteText"), action: t("plugins.delete"), danger: true }))) return;
  try {
    await api.remove(addressOf(name));
    report(t("plugins.deleted", { name }));
    go("/plugins");
  } catch (error) {
    reportFault(error);
  }
}
