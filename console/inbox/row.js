// One chat in the list: the customer, the time, the last message, and whether the customer waits.
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { t } from "#app/i18n.js";
import { href } from "#app/router.js";
import { viewer } from "#app/session.js";
import { fullTime, listTime, since } from "#app/time.js";
import { Avatar, Tag } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { chatOf, fetchChat, typing } from "./chats.js";
import { draftOf } from "./drafts.js";
import { stateOf } from "./scopes.js";
import { CHANNEL_MARKS, channelName, nameOf, ownerText, summary } from "./words.js";

/** @param {{id: string, selected: boolean, scope: string, search: string}} props */
export function ChatRow({ id, selected, scope, search }) {
  const chat = chatOf(id);
  const last = chat?.lastMessage;
  // A live event brought the chat into the list, without its last message.
  useEffect(() => {
    if (last === undefined) fetchChat(id).catch(() => {});
  }, [id, last === undefined]);
  if (!chat) return null;
  const me = viewer.value?.id ?? "";
  const state = stateOf(chat);
  const unanswered = last?.direction === "INCOMING" ? last.createdTime : "";
  const waits = state === "QUEUED" || state === "ACTIVE" ? chat.waitingSince || unanswered : "";
  const name = nameOf(chat);
  return html`<li><a class=${`chat-row ${selected ? "selected" : ""} ${chat.unreadCount ? "unread" : ""}`} href=${href(`/inbox/${scope}/${id}`, { q: search })} aria-current=${selected ? "true" : undefined}>
    <span class="chat-face"><${Avatar} name=${name} /><span class=${`channel ${chat.channel}`} title=${channelName(chat.channel)}>${CHANNEL_MARKS[chat.channel]}</span></span>
    <span class="grow">
      <span class="row"><span class="grow clip chat-name" dir="auto">${name}</span>
        <time class="tiny soft number" datetime=${chat.lastMessageTime} title=${fullTime(chat.lastMessageTime)}>${listTime(chat.lastMessageTime)}</time></span>
      <span class="row"><span class="grow clip chat-last" dir="auto"><${Last} id=${id} last=${last} /></span>
        ${chat.unreadCount > 0 && html`<span class="count" aria-label=${t("inbox.unread", { count: chat.unreadCount })}>${chat.unreadCount > 99 ? "99+" : chat.unreadCount}</span>`}</span>
      <span class="chat-marks">
        <span class="clip">${ownerText(chat, me)}</span>
        ${waits && html`<span class="waits" title=${t("inbox.waitsTip", { time: fullTime(waits) })}><${Icon} name="clock" size="small" />${since(waits)}</span>`}
        ${chat.missedConversation && html`<${Tag} tone="danger">${t("inbox.missed")}<//>`}
        ${chat.afterHoursConversation && html`<${Tag} tone="warning">${t("inbox.afterHours")}<//>`}
        ${(chat.tags ?? []).slice(0, 2).map((tag) => html`<${Tag} key=${tag}>${tag}<//>`)}
      </span>
    </span></a></li>`;
}

/** @param {{id: string, last: import("./types.js").Preview | null | undefined}} props */
function Last({ id, last }) {
  if (id in typing.value) return html`<em class="typing-text">${t("inbox.isTyping")}</em>`;
  const draft = draftOf(id);
  if (draft) return html`<span class="danger-text">${t("inbox.draft")}</span> ${draft}`;
  if (last === undefined) return html`<span class="skeleton w3"></span>`;
  if (last === null) return html`<span class="faint">${t("inbox.noMessages")}</span>`;
  return html`${last.direction === "OUTGOING" && html`<${Icon} name="undo" size="small" /><span class="hidden-text">${t("inbox.youWrote")}</span> `}${summary(last)}`;
}
