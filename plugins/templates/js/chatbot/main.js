// Repeats the customer's text, and hands over to agents on request.

import { chatbot, handOver, reply, textOf } from './patchbay/chatbot';

export const bot = chatbot((event, session) => {
  const text = textOf(event);
  // Reactions, files and timers have no text, so there is nothing to do.
  if (text === undefined) return [];
  if (text.toLowerCase() === 'person') {
    return [reply.text('A colleague will answer you here.'), handOver('The customer asked for a person.')];
  }
  return [reply.text(`Hello, ${session.customer.name ?? 'you'}! You said: ${text}`)];
});
