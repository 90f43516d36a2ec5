// Chatbots: helpers to read events and to write actions. The other types of the interface are in `build/types/`.

import { failure } from './index';

/** Makes a function the chatbot: `export const bot = chatbot((event, session) => [...])`. */
export function chatbot(handle) {
  return {
    handle(event, session) {
      try {
        return handle(event, session);
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}

/** The customer's words: the text, or the title of the chosen button. */
export function textOf(event) {
  if (event.kind.tag !== 'message')
    return undefined;
  const { content } = event.kind.val;
  switch (content.tag) {
    case 'text': return content.val;
    case 'choice': return content.val.text;
    default: return undefined;
  }
}

/** The id or payload of the chosen button or list entry. */
export function choiceOf(event) {
  if (event.kind.tag !== 'message')
    return undefined;
  const { content } = event.kind.val;
  return content.tag === 'choice' ? content.val.payload : undefined;
}

/** Messages to the customer. */
export const reply = {
  text: (text, quote) => ({ tag: 'reply-text', val: { text, quote: quote ?? null } }),
  /** Up to three buttons, each an id and a title of at most 20 characters. */
  buttons: (text, buttons) => ({
    tag: 'reply-buttons',
    val: { text, buttons: entries(buttons), header: null, footer: null, quote: null },
  }),
  /** A list of up to ten entries, each an id and a title of at most 24 characters. */
  list: (text, buttonLabel, rows) => {
    const section = { title: null, rows: entries(rows).map((row) => ({ ...row, description: null })) };
    return { tag: 'reply-list', val: { text, buttonLabel, sections: [section], header: null, footer: null, quote: null } };
  },
  media: (kind, url, caption) => ({
    tag: 'reply-media',
    val: { url, kind, caption: caption ?? null, filename: null, quote: null },
  }),
};

/** Stores the state of the conversation. The next call gets it as `session.state`. */
export const setState = (state) => ({ tag: 'set-state', val: state });

/** Starts a timer that calls the bot again. If a timer with this name runs, it is moved. */
export const startTimer = (name, afterSeconds) => ({
  tag: 'start-timer',
  val: { name, afterSeconds },
});

/** Cancels the timer with this name. */
export const cancelTimer = (name) => ({ tag: 'cancel-timer', val: name });

/** Hands the conversation over to a team, or to the unassigned queue. */
export const handOver = (note, team) => ({
  tag: 'hand-over',
  val: { team: team ?? null, note: note ?? null },
});

export const close = () => ({ tag: 'close' });
export const tag = (name) => ({ tag: 'add-tag', val: name });
export const requestRating = () => ({ tag: 'request-rating' });
const entries = (titles) => Object.entries(titles).map(([id, title]) => ({ id, title }));
