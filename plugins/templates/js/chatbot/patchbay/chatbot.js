// Chatbots: helpers to read events and to write actions. The other types of the interface are in `build/types/`.

import { write } from './files';
import { received, unanswered } from './http';
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

/** The id of a message with a file, for `readAll` of `files`, and the facts of the file: `{ messageId, media }`. */
export function fileOf(event) {
  if (event.kind.tag !== 'message')
    return undefined;
  const { id, content } = event.kind.val;
  return content.tag === 'media' ? { messageId: id, media: content.val } : undefined;
}

/** The end of a request that `start` sent: `{ job, result }`. The result is a `Response` or a `PluginError`. */
export function finishedOf(event) {
  if (event.kind.tag !== 'http-finished')
    return undefined;
  const { job, outcome } = event.kind.val;
  return { job, result: outcome.tag === 'response' ? received(outcome.val) : unanswered(outcome.val) };
}

/** The value of an attribute of the contact. A date or a choice is a string. */
export function attribute(session, name) {
  return session.attributes.find((attribute) => attribute.name === name)?.value.val;
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
  /** Writes a file, a text or bytes, as `write` of `files` does, and sends it. */
  file: (kind, name, content, caption) => ({
    tag: 'reply-media',
    val: { url: write(name, content), kind, caption: caption ?? null, filename: null, quote: null },
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

/**
 * Sends a template `{ id, name, parameters }` once, later. A later template with the same name replaces it. `parameters`
 * are the values of its body.
 */
export const scheduleTemplate = (name, afterSeconds, template) => ({
  tag: 'schedule-template',
  val: { name, afterSeconds, template: { parameters: [], ...template, header: null, buttonParameters: [] } },
});

/** Takes back a template that waits under this name. */
export const cancelTemplate = (name) => ({ tag: 'cancel-template', val: name });

/** Sets an attribute of the contact to a text, a number, true or false, `dateValue` or `choiceValue`. */
export const setAttribute = (name, value) => ({
  tag: 'set-attribute',
  val: { name, value: attributeValue(value) },
});

/** A date such as `1990-05-31`. */
export const dateValue = (date) => ({ tag: 'date', val: date });

/** A choice of an attribute. */
export const choiceValue = (choice) => ({ tag: 'choice', val: choice });

/** Removes the value of an attribute of the contact. */
export const removeAttribute = (name) => ({ tag: 'set-attribute', val: { name, value: null } });

/** Puts an emoji on a message of the conversation. Without an emoji, takes it back. */
export const react = (messageId, emoji) => ({
  tag: 'react',
  val: { messageId, emoji: emoji ?? null },
});

/** Shows the customer that an answer is being written. */
export const typing = () => ({ tag: 'typing' });

/** Marks the messages of the customer as read. */
export const markRead = () => ({ tag: 'mark-read' });

/** Hands the conversation over to a team, or to the unassigned queue. */
export const handOver = (note, team) => ({
  tag: 'hand-over',
  val: { team: team ?? null, note: note ?? null },
});

export const close = () => ({ tag: 'close' });
export const tag = (name) => ({ tag: 'add-tag', val: name });
export const removeTag = (name) => ({ tag: 'remove-tag', val: name });
export const requestRating = () => ({ tag: 'request-rating' });
const entries = (titles) => Object.entries(titles).map(([id, title]) => ({ id, title }));

function attributeValue(value) {
  switch (typeof value) {
    case 'string': return { tag: 'text', val: value };
    case 'number': return { tag: 'number', val: value };
    case 'boolean': return { tag: 'boolean', val: value };
    default: return value;
  }
}
