// The inbox: the list of chats, the open chat, and its customer.
import { html } from "htm/preact";
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { navEntries } from "#app/navigation.js";
import { useCommands } from "#app/palette.js";
import { prefer, preferences } from "#app/preferences.js";
import { go, query } from "#app/router.js";
import { Empty } from "#ui/states.js";
import { report } from "#ui/toast.js";
import { allowNotifications } from "./alerts.js";
import { counts, followChats, list } from "./chats.js";
import { Conversation } from "./conversation.js";
import { CustomerPanel } from "./customer.js";
import { ChatColumn, sizeText } from "./list.js";
import { loadNumbers, loadPeople } from "./people.js";
import { panelShown, showPanel } from "./panel.js";
import { SCOPES, SCOPE_ICONS } from "./scopes.js";

/** @param {{scope?: string, chat?: string}} props */
export default function Inbox({ scope: asked = "my", chat = "" }) {
  const scope = SCOPES.includes(asked) ? asked : "my";
  const search = query.value.q ?? "";
  useEffect(() => {
    loadPeople().catch(() => {});
    loadNumbers().catch(() => {});
    const stops = [followChats(), showSizes()];
    return () => stops.forEach((stop) => stop());
  }, []);
  const show = (/** @type {string} */ id) => go(`/inbox/${scope}/${id}`, { search: { q: search } });
  const step = (/** @type {number} */ by) => () => {
    const { ids } = list.peek();
    const at = ids.indexOf(chat);
    const next = ids[at < 0 ? 0 : at + by];
    if (next) show(next);
  };
  const group = t("nav.inbox");
  useShortcuts([
    { keys: "j", text: t("inbox.nextChat"), group, run: step(1) },
    { keys: "k", text: t("inbox.previousChat"), group, run: step(-1) },
    { keys: "/", text: t("inbox.searchChats"), group, run: () => document.getElementById("chat-search")?.focus() },
    ...SCOPES.map((one, index) => ({ keys: String(index + 1), text: t(`scopes.${one}`), group: t("inbox.lists"), run: () => go(`/inbox/${one}`) })),
  ]);
  useCommands({
    title: t("nav.inbox"),
    commands: () => [
      ...SCOPES.map((one, index) => ({ text: t(`scopes.${one}`), hint: sizeText(counts.peek()[one]), icon: SCOPE_ICONS[one], keys: String(index + 1), run: () => go(`/inbox/${one}`) })),
      { text: t(preferences.value.sound ? "inbox.soundOff" : "inbox.soundOn"), icon: "sound", run: () => prefer({ sound: !preferences.value.sound }) },
      { text: t(preferences.value.notifications ? "inbox.notificationsOff" : "inbox.notificationsOn"), icon: "bell", run: toggleNotifications },
    ],
  });
  const panel = chat && panelShown.value;
  return html`<div class=${`inbox ${chat ? "open" : ""} ${panel ? "with-panel" : ""}`}>
    <h1 class="hidden-text">${t("nav.inbox")}: ${t(`scopes.${scope}`)}</h1>
    <${ChatColumn} scope=${scope} chat=${chat} search=${search} />
    ${chat ? html`<${Conversation} key=${chat} id=${chat} onBack=${() => go(`/inbox/${scope}`, { search: { q: search } })} />`
      : html`<div class="conversation none"><${Empty} icon="chat" title=${t("inbox.noneOpen")} fill=${true}><p>${t("inbox.noneOpenHint")}</p><//></div>`}
    ${panel && html`<${CustomerPanel} key=${chat} id=${chat} onClose=${() => showPanel(false)} />`}
  </div>`;
}

/** Shows the lists with their sizes in the navigation. @returns {() => void} stops it */
function showSizes() {
  const stop = effect(() => {
    const sizes = counts.value;
    navEntries.value = { "/inbox": SCOPES.map((scope) => ({ to: `/inbox/${scope}`, text: t(`scopes.${scope}`), icon: SCOPE_ICONS[scope], count: sizeText(sizes[scope]) })) };
  });
  return () => {
    stop();
    navEntries.value = {};
  };
}

async function toggleNotifications() {
  const wanted = !preferences.value.notifications;
  if (wanted && !(await allowNotifications())) return report(t("inbox.notificationsRefused"), { icon: "info" });
  prefer({ notifications: wanted });
}
