// Chatbots: short ways to read events and to write actions. Everything else of the interface is in `build/types/`.

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

/** What the customer said, in words: the text, or what was written on the chosen button. */
export function textOf(event) {
  if (event.kind.tag !== 'message')
    return undefined;
  const { content } = event.kind.val;
  switch (content.tag) {
    case 'text': return content.val;
    case 'button':
    case 'interactive':
    case 'carousel': return content.val.text;
    default: return undefined;
  }
}

/** The id or payload of the button or list entry that the customer chose. */
export function choiceOf(event) {
  if (event.kind.tag !== 'message')
    return undefined;
  const { content } = event.kind.val;
  switch (content.tag) {
    case 'button':
    case 'interactive':
    case 'carousel': return content.val.payload;
    default: return undefined;
  }
}

/** Messages to the customer. */
export const reply = {
  text: (text, quote) => ({ tag: 'reply-text', val: { text, quote: quote ?? null } }),
  /** Up to three buttons: what each sends back, and its title of at most 20 characters. */
  buttons: (text, buttons) => ({
    tag: 'reply-buttons',
    val: { text, buttons: entries(buttons), header: null, footer: null, quote: null },
  }),
  /** A list of up to ten entries: what each sends back, and its title of at most 24 characters. */
  list: (text, buttonLabel, rows) => {
    const section = { title: null, rows: entries(rows).map((row) => ({ ...row, description: null })) };
    return { tag: 'reply-list', val: { text, buttonLabel, sections: [section], header: null, footer: null, quote: null } };
  },
  media: (kind, url, caption) => ({
    tag: 'reply-media',
    val: { url, kind, caption: caption ?? null, filename: null, quote: null },
  }),
};

/** Remembers where the conversation stands; comes back as `session.state`. */
export const setState = (state) => ({ tag: 'set-state', val: state });

/** Asks to be called back; starting a timer again under the same name moves it. */
export const startTimer = (name, afterSeconds) => ({
  tag: 'start-timer',
  val: { name, afterSeconds },
});

/** Asks not to be called back: the name of a timer that was started. */
export const cancelTimer = (name) => ({ tag: 'cancel-timer', val: name });

/** Lets people take over: a team, or the unassigned queue. */
export const handOver = (note, team) => ({
  tag: 'hand-over',
  val: { team: team ?? null, note: note ?? null },
});

export const close = () => ({ tag: 'close' });
export const tag = (name) => ({ tag: 'add-tag', val: name });
export const requestRating = () => ({ tag: 'request-rating' });
const entries = (titles) => Object.entries(titles).map(([id, title]) => ({ id, title }));
