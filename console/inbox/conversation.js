// The open chat: its head with the moves, the history, and the composer.
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { t } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { onReturn } from "#app/live.js";
import { useCommands } from "#app/palette.js";
import { viewer } from "#app/session.js";
import { Avatar, Button } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Menu } from "#ui/menu.js";
import { Fault, SkeletonList } from "#ui/states.js";
import { movesOf, release, reopen, resolve, take, terminate } from "./actions.js";
import { AssignDialog } from "./assign.js";
import { attachmentsOf } from "./attachments.js";
import { chatOf, fetchChat } from "./chats.js";
import { Composer } from "./composer.js";
import { historyOf } from "./history.js";
import { followNotes, notes } from "./notes.js";
import { panelShown, showPanel } from "./panel.js";
import { stateOf } from "./scopes.js";
import { TemplateDialog } from "./template-dialog.js";
import { Thread } from "./thread.js";
import { lookAt, others } from "./viewers.js";
import { channelName, nameOf, ownerText, phone } from "./words.js";

/** @typedef {import("./types.js").Chat} Chat */
/** @typedef {import("./types.js").Message} Message */

/** @param {{id: string, onBack: () => void}} props */
export function Conversation({ id, onBack }) {
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const chat = chatOf(id);
  const load = () => fetchChat(id).then(() => setError(null), setError);
  useEffect(() => void load(), [id]);
  useEffect(() => (error ? onReturn(load) : undefined), [error]);
  if (chat) return html`<${OpenChat} key=${id} chat=${chat} onBack=${onBack} />`;
  return html`<div class="conversation">${error ? html`<div class="column-note"><${Fault} error=${error} retry=${load} /></div>` : html`<${SkeletonList} />`}</div>`;
}

/** @param {{chat: Chat, onBack: () => void}} props */
function OpenChat({ chat, onBack }) {
  const history = historyOf(chat.id);
  const attachments = attachmentsOf(chat.id);
  const [quote, setQuote] = useState(/** @type {Message | null} */ (null));
  const [dialog, setDialog] = useState(/** @type {"" | "assign" | "template"} */ (""));
  const [over, setOver] = useState(false);
  const moves = movesOf(chat);
  const templates = moves.write && chat.channel === "WHATSAPP";
  const writesNext = useRef(false);
  // The button that was clicked is gone: the next thing is the answer.
  const thenWrite = (/** @type {Promise<boolean>} */ move) => {
    writesNext.current = true;
    void move.then(() => setTimeout(() => (writesNext.current = false)));
  };
  useLayoutEffect(() => {
    if (!moves.write || !writesNext.current) return;
    writesNext.current = false;
    document.getElementById("composer")?.focus();
  }, [moves.write]);
  useEffect(() => {
    void history.open();
    const stops = [history.follow(), followNotes(chat.id), lookAt(chat.id)];
    return () => stops.forEach((stop) => stop());
  }, []);
  useRead(chat, moves.mine);
  const group = t("inbox.thisChat");
  const when = (/** @type {boolean} */ may, /** @type {() => void} */ run) => () => may && run();
  useShortcuts([
    { keys: "m", text: t("inbox.sendTemplate"), group, run: when(templates, () => setDialog("template")) },
    { keys: "t", text: t("inbox.take"), group, run: when(moves.take, () => take(chat)) },
    { keys: "a", text: t("inbox.assign"), group, run: when(moves.transfer, () => setDialog("assign")) },
    { keys: "e", text: t("inbox.resolve"), group, run: when(moves.resolve, () => resolve(chat)) },
    { keys: "b", text: t("inbox.release"), group, run: when(moves.release, () => release(chat)) },
    { keys: "o", text: t("inbox.reopen"), group, run: when(moves.reopen, () => reopen(chat)) },
    { keys: "x", text: t("inbox.terminate"), group, run: when(moves.terminate, () => terminate(chat)) },
    { keys: "i", text: t("inbox.togglePanel"), group, run: () => showPanel() },
  ]);
  useCommands({
    title: nameOf(chat),
    commands: () => [
      ...(templates ? [{ text: t("inbox.sendTemplate"), icon: "template", keys: "m", run: () => setDialog("template") }] : []),
      ...(moves.take ? [{ text: t("inbox.take"), icon: "headset", keys: "t", run: () => void take(chat) }] : []),
      ...(moves.resolve ? [{ text: t("inbox.resolve"), icon: "check", keys: "e", run: () => void resolve(chat) }] : []),
      ...(moves.transfer ? [{ text: t("inbox.assign"), icon: "users", keys: "a", run: () => setDialog("assign") }] : []),
      ...(moves.reopen ? [{ text: t("inbox.reopen"), icon: "undo", keys: "o", run: () => void reopen(chat) }] : []),
      ...(moves.release ? [{ text: t("inbox.release"), icon: "bot", keys: "b", run: () => void release(chat) }] : []),
    ],
  });
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    if (moves.write && event.dataTransfer?.files.length) attachments.add(event.dataTransfer.files);
  };
  const drag = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  return html`<section class="conversation" aria-label=${t("inbox.chatWith", { name: nameOf(chat) })} onDragOver=${drag} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <${Head} chat=${chat} moves=${moves} onBack=${onBack} onAssign=${() => setDialog("assign")} />
    <${Others} />
    <${Thread} history=${history} notes=${notes.value ?? []} write=${moves.write} onQuote=${setQuote} />
    <${Prompt} chat=${chat} moves=${moves} thenWrite=${thenWrite} />
    ${(moves.write || notes.value) && html`<${Composer} chat=${chat} history=${history} attachments=${attachments} quote=${quote} onQuote=${setQuote} onTemplate=${() => setDialog("template")} write=${moves.write} />`}
    ${over && html`<div class="drop">${moves.write ? t("inbox.dropFiles") : t("inbox.takeToSend")}</div>`}
    ${dialog === "assign" && html`<${AssignDialog} chat=${chat} onClose=${() => setDialog("")} />`}
    ${dialog === "template" && html`<${TemplateDialog} chat=${chat} history=${history} onClose=${() => setDialog("")} />`}
  </section>`;
}

/** Marks the chat as read while its agent looks at it. @param {Chat} chat @param {boolean} mine */
function useRead(chat, mine) {
  const [visible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  useEffect(() => {
    if (!mine || !visible || !chat.unreadCount) return undefined;
    const timer = setTimeout(() => {
      api.post("/chat-service/api/v2/messages/read", undefined, { query: { participantId: chat.id } }).then(() => fetchChat(chat.id)).catch(() => {});
    }, 400);
    return () => clearTimeout(timer);
  }, [mine, visible, chat.unreadCount]);
}

/** @param {{chat: Chat, moves: ReturnType<typeof movesOf>, onBack: () => void, onAssign: () => void}} props */
function Head({ chat, moves, onBack, onAssign }) {
  const name = nameOf(chat);
  const items = () => [
    { text: t("inbox.assign"), icon: "users", keys: "a", disabled: !moves.transfer, run: onAssign },
    { text: t("inbox.release"), icon: "bot", keys: "b", disabled: !moves.release, run: () => void release(chat) },
    { text: t("inbox.resolve"), icon: "check", keys: "e", disabled: !moves.resolve, run: () => void resolve(chat) },
    { text: t("inbox.terminate"), icon: "close", keys: "x", danger: true, disabled: !moves.terminate, run: () => void terminate(chat) },
  ];
  return html`<header class="conversation-head">
    <${Button} kind="quiet" class="back" icon="arrowLeft" label=${t("inbox.backToList")} onClick=${onBack} />
    <${Avatar} name=${name} />
    <div class="grow"><h2 class="clip" dir="auto">${name}</h2>
      <p class="tiny soft clip">${[channelName(chat.channel), chat.name ? phone(chat.phoneNumber) : "", ownerText(chat, viewer.value?.id ?? "")].filter(Boolean).join(" · ")}</p></div>
    ${moves.resolve && html`<${Button} icon="check" class="head-move" onClick=${() => resolve(chat)}>${t("inbox.resolve")}<//>`}
    ${moves.transfer && html`<${Button} kind="quiet" icon="users" class="head-move" label=${t("inbox.assign")} onClick=${onAssign} />`}
    <${Menu} label=${t("inbox.moreActions")} icon="more" items=${items} />
    <${Button} kind="quiet" icon="panel" label=${t("inbox.togglePanel")} aria-pressed=${String(panelShown.value)} onClick=${() => showPanel()} />
  </header>`;
}

function Others() {
  const found = others.value;
  if (!found.length) return null;
  const writes = found.filter((one) => one.writing);
  const names = (writes.length ? writes : found).map((one) => one.name ?? "").join(", ");
  return html`<div class=${`banner ${writes.length ? "warning" : ""}`} role="status"><${Icon} name=${writes.length ? "edit" : "users"} size="small" />${t(writes.length ? "inbox.othersWrite" : "inbox.othersLook", { names, count: (writes.length ? writes : found).length })}</div>`;
}

/** The actions that let the viewer answer. @param {{chat: Chat, moves: ReturnType<typeof movesOf>, thenWrite: (move: Promise<boolean>) => void}} props */
function Prompt({ chat, moves, thenWrite }) {
  const [busy, setBusy] = useState(false);
  if (moves.write) return null;
  const run = (/** @type {Promise<boolean>} */ move) => {
    setBusy(true);
    thenWrite(move.finally(() => setBusy(false)));
  };
  const state = stateOf(chat);
  const text = t(`inbox.prompt.${state}`, { name: chat.assignedTo?.name ?? "" });
  return html`<div class="prompt"><span class="grow">${text}</span>
    ${moves.take && html`<${Button} kind="primary" icon="headset" busy=${busy} onClick=${() => run(take(chat))}>${state === "ACTIVE" ? t("inbox.takeOver") : t("inbox.take")}<//>`}
    ${moves.reopen && html`<${Button} kind="primary" icon="undo" busy=${busy} onClick=${() => run(reopen(chat))}>${t("inbox.reopen")}<//>`}
  </div>`;
}
