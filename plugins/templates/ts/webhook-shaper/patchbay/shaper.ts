// Webhook shapers: write the body of an event as a value.

import type { Body, WebhookEvent } from 'patchbay:plugin/shaper@0.3.0';
import { failure } from './index';

export type { WebhookEvent } from 'patchbay:plugin/shaper@0.3.0';

/** The body that the host writes without a plugin. */
export const unchanged = Symbol('unchanged');

/** Makes a function the shaper. It returns the body, `unchanged`, or `undefined` if the event is not sent. */
export function shaper(shape: (event: WebhookEvent) => unknown) {
  return {
    shape(event: WebhookEvent): Body {
      try {
        const body = shape(event);
        if (body === undefined) return { tag: 'skip' };
        return body === unchanged ? { tag: 'unchanged' } : { tag: 'json', val: JSON.stringify(body) };
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}
