// The list of chats: its scope, a search, and rows that load as they are scrolled to.
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "#app/i18n.js";
import { useSearchText } from "#app/load.js";
import { go } from "#app/router.js";
import { Button, SearchField } from "#ui/controls.js";
import { Icon } from "#ui/icons.js";
import { Menu } from "#ui/menu.js";
import { Empty, Fault, SkeletonList } from "#ui/states.js";
import { counts, list, moreChats, openList } from "./chats.js";
import { ChatRow } from "./row.js";
import { SCOPES, SCOPE_ICONS } from "./scopes.js";

/** A count as it is shown: lists are counted up to a bound. @param {number | undefined} count */
export function sizeText(count) {
  if (count === undefined) return "";
  return count >= 1000 ? "1000+" : String(count);
}

/** @param {{scope: string, chat: string, search: string}} props */
export function ChatColumn({ scope, chat, search }) {
  const [text, setText] = useSearchText(search, (q) => go(`/inbox/${scope}${chat ? `/${chat}` : ""}`, { search: { q }, replace: true }));
  useEffect(() => {
    openList(scope, search);
  }, [scope, search]);
  const choices = () => SCOPES.map((one) => ({ text: `${t(`scopes.${one}`)}  ${sizeText(counts.value[one])}`, icon: SCOPE_ICONS[one], checked: one === scope, run: () => go(`/inbox/${one}`) }));
  return html`<section class="chat-column" aria-label=${t("inbox.chats")}>
    <header class="column-head">
      <${Menu} label=${t("inbox.chooseList")} kind="quiet scope-button" items=${choices}><span>${t(`scopes.${scope}`)}</span><span class="soft number">${sizeText(counts.value[scope])}</span><${Icon} name="chevronDown" size="small" /><//>
      <${SearchField} label=${t("inbox.searchChats")} placeholder=${t("inbox.searchPlaceholder")} value=${text} onValue=${setText} id="chat-search" />
    </header>
    <${Rows} scope=${scope} chat=${chat} search=${search} />
  </section>`;
}

/** @param {{scope: string, chat: string, search: string}} props */
function Rows({ scope, chat, search }) {
  const { ids, busy, last, error } = list.value;
  const end = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && moreChats(), { rootMargin: "400px" });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [last, ids.length > 0]);
  if (error && !ids.length) return html`<div class="column-note"><${Fault} error=${error} retry=${() => openList(scope, search)} /></div>`;
  if (!ids.length && (busy || list.value.scope !== scope)) return html`<${SkeletonList} rows=${8} round=${true} />`;
  if (!ids.length) {
    return html`<${Empty} icon=${search ? "search" : SCOPE_ICONS[scope]} title=${search ? t("inbox.nothingFound") : t("inbox.emptyList")}>
      <p>${search ? t("inbox.searchHint") : t(`scopeHints.${scope}`)}</p>
      ${search && scope !== "all" && html`<${Button} onClick=${() => go("/inbox/all", { search: { q: search } })}>${t("inbox.searchAll")}<//>`}<//>`;
  }
  return html`<div class="chat-list scroll" tabindex="-1"><ul>${ids.map((id) => html`<${ChatRow} key=${id} id=${id} selected=${id === chat} scope=${scope} search=${search} />`)}</ul>
    ${!last && html`<div ref=${end}>${busy && html`<${SkeletonList} rows=${2} round=${true} />`}</div>`}</div>`;
}
