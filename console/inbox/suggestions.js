// Suggestions while an answer is written: canned replies after `/`, colleagues after `@` in a note.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "#app/api.js";
import { ApiError } from "#app/faults.js";
import { t } from "#app/i18n.js";
import { useSettled } from "#app/load.js";
import { Avatar } from "#ui/controls.js";
import { report, reportFault } from "#ui/toast.js";
import { agents } from "./people.js";

/** @typedef {{id: string, shortcut: string, text: string, teamId?: string | null}} CannedReply */
/** @typedef {{key: string, title: string, text: string, avatar?: string, choose: () => void}} Suggestion */

const CANNED = "/chat-service/api/v2/canned-replies";
const MOST = 8;
/** More than are shown, because the reply with exactly this shortcut may be the last. */
const ASKED = 50;

/**
 * The suggestions for a text up to the place of the writer. `replace` puts a text in the place of the word that asked for them.
 * @param {{text: string, note: boolean, chat: string, replace: (word: string, text: string) => void}} asked
 * @returns {{suggestions: Suggestion[], awaited: boolean}} `awaited`: none is known yet, and the server may still return some
 */
export function useSuggestions({ text, note, chat, replace }) {
  const shortcut = note ? null : /^\/([\w-]*)$/.exec(text);
  const mention = note ? /(?:^|\s)(@([\p{L}\p{M}\p{N} .'’-]{0,60}))$/u.exec(text) : null;
  const { replies, awaited } = useReplies(shortcut ? shortcut[1] : null);
  if (shortcut) {
    const suggestions = replies.slice(0, MOST).map((reply) => ({ key: reply.id, title: `/${reply.shortcut}`, text: reply.text, choose: () => fill(reply, chat, (filled) => replace(shortcut[0], filled)) }));
    return { suggestions, awaited: awaited && !suggestions.length };
  }
  if (!mention) return { suggestions: [], awaited: false };
  const wanted = mention[2].toLowerCase();
  const found = agents().filter((user) => user.name.toLowerCase().startsWith(wanted) && user.name.toLowerCase() !== wanted.trim());
  const suggestions = found.slice(0, MOST).map((user) => ({ key: user.id, title: user.name, text: user.email, avatar: user.name, choose: () => replace(mention[1], `@${user.name} `) }));
  return { suggestions, awaited: false };
}

/** Canned replies with a word in their shortcut or text. @param {string | null} wanted @returns {{replies: CannedReply[], awaited: boolean}} */
function useReplies(wanted) {
  const settled = useSettled(wanted, 120);
  const [found, setFound] = useState(/** @type {{of: string | null, replies: CannedReply[]}} */ ({ of: null, replies: [] }));
  useEffect(() => {
    if (settled === null) return setFound({ of: null, replies: [] });
    const control = new AbortController();
    api.get(CANNED, { search: settled, size: ASKED }, { signal: control.signal }).then(
      (page) => setFound({ of: settled, replies: page.content }),
      (error) => {
        if (control.signal.aborted) return;
        setFound({ of: settled, replies: [] });
        if (!(error instanceof ApiError && error.status === 404)) reportFault(error);
      },
    );
    return () => control.abort();
  }, [settled]);
  if (wanted === null) return { replies: [], awaited: false };
  const word = wanted.toLowerCase();
  const rank = (/** @type {CannedReply} */ one) => (one.shortcut === word ? 0 : one.shortcut.startsWith(word) ? 1 : 2);
  // Until the answer for this word is there, only replies of the former answer that have it.
  const replies = found.of === wanted ? found.replies : found.replies.filter((one) => `${one.shortcut}\n${one.text}`.toLowerCase().includes(word));
  return { replies: [...replies].sort((one, other) => rank(one) - rank(other)), awaited: found.of !== wanted };
}

/** @param {CannedReply} reply @param {string} chat @param {(text: string) => void} done */
async function fill(reply, chat, done) {
  try {
    const filled = await api.post(`${CANNED}/${reply.id}/fill`, { participantId: chat });
    done(filled.text);
    if (filled.missing.length) report(t("inbox.missingValues", { names: filled.missing.join(", ") }), { icon: "info" });
  } catch (error) {
    reportFault(error);
  }
}

/** @param {{id: string, suggestions: Suggestion[], at: number}} props */
export function SuggestionList({ id, suggestions, at }) {
  if (!suggestions.length) return null;
  return html`<ul class="suggestions" id=${id} role="listbox" aria-label=${t("inbox.suggestions")}>${suggestions.map((one, index) => html`
    <li key=${one.key} id=${`${id}-${index}`} role="option" class="menu-item" aria-selected=${String(index === at)} onMouseDown=${(/** @type {Event} */ event) => (event.preventDefault(), one.choose())}>
      ${one.avatar && html`<${Avatar} name=${one.avatar} small=${true} />`}<span class="strong">${one.title}</span><span class="grow clip soft">${one.text}</span></li>`)}</ul>`;
}
