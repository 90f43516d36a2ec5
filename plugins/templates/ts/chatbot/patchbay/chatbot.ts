// Chatbots: short ways to read events and to write actions. Everything else of the interface is in `build/types/`.

import type * as bot from 'patchbay:plugin/bot@0.2.1';
import { failure } from './index';

export type { Action, Event, Session } from 'patchbay:plugin/bot@0.2.1';

/** Makes a function the chatbot: `export const bot = chatbot((event, session) => [...])`. */
export function chatbot(handle: (event: bot.Event, session: bot.Session) => bot.Action[]) {
  return {
    handle(event: bot.Event, session: bot.Session): bot.Action[] {
      try {
        return handle(event, session);
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}

/** What the customer said, in words: the text, or what was written on the chosen button. */
export function textOf(event: bot.Event): string | undefined {
  if (event.kind.tag !== 'message') return undefined;
  const { content } = event.kind.val;
  switch (content.tag) {
    case 'text': return content.val;
    case 'button': case 'interactive': case 'carousel': return content.val.text;
    default: return undefined;
  }
}

/** The id or payload of the button or list entry that the customer chose. */
export function choiceOf(event: bot.Event): string | undefined {
  if (event.kind.tag !== 'message') return undefined;
  const { content } = event.kind.val;
  switch (content.tag) {
    case 'button': case 'interactive': case 'carousel': return content.val.payload;
    default: return undefined;
  }
}

/** Messages to the customer. */
export const reply = {
  text: (text: string, quote?: string): bot.Action => ({ tag: 'reply-text', val: { text, quote: quote ?? null } }),

  /** Up to three buttons: what each sends back, and its title of at most 20 characters. */
  buttons: (text: string, buttons: Record<string, string>): bot.Action => ({
    tag: 'reply-buttons',
    val: { text, buttons: entries(buttons), header: null, footer: null, quote: null },
  }),

  /** A list of up to ten entries: what each sends back, and its title of at most 24 characters. */
  list: (text: string, buttonLabel: string, rows: Record<string, string>): bot.Action => {
    const section = { title: null, rows: entries(rows).map((row) => ({ ...row, description: null })) };
    return { tag: 'reply-list', val: { text, buttonLabel, sections: [section], header: null, footer: null, quote: null } };
  },

  media: (kind: bot.MediaKind, url: string, caption?: string): bot.Action => ({
    tag: 'reply-media',
    val: { url, kind, caption: caption ?? null, filename: null, quote: null },
  }),
};

/** Remembers where the conversation stands; comes back as `session.state`. */
export const setState = (state: string): bot.Action => ({ tag: 'set-state', val: state });

/** Asks to be called back; starting a timer again under the same name moves it. */
export const startTimer = (name: string, afterSeconds: number): bot.Action => ({
  tag: 'start-timer',
  val: { name, afterSeconds },
});

/** Asks not to be called back: the name of a timer that was started. */
export const cancelTimer = (name: string): bot.Action => ({ tag: 'cancel-timer', val: name });

/** Lets people take over: a team, or the unassigned queue. */
export const handOver = (note?: string, team?: string): bot.Action => ({
  tag: 'hand-over',
  val: { team: team ?? null, note: note ?? null },
});

export const close = (): bot.Action => ({ tag: 'close' });
export const tag = (name: string): bot.Action => ({ tag: 'add-tag', val: name });
export const requestRating = (): bot.Action => ({ tag: 'request-rating' });

const entries = (titles: Record<string, string>) => Object.entries(titles).map(([id, title]) => ({ id, title }));
