// Webhook shapers: write the body of an event as a value.

import { failure } from './index';

/** Makes a function the shaper. It returns the body, or `undefined` if the event is not sent. */
export function shaper(shape) {
  return {
    shape(event) {
      try {
        const body = shape(event);
        return body === undefined ? null : JSON.stringify(body);
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}
