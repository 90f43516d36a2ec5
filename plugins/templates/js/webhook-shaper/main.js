// Reports messages of customers in three fields, and no other events.

import { shaper as make } from './patchbay/shaper';

export const shaper = make((event) => {
  // `undefined`: this event is not sent.
  if (event.tag !== 'incoming') return undefined;
  const { sender, receiver, text } = event.val;
  return { from: sender, to: receiver, text };
});
