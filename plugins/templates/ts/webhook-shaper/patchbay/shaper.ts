// Webhook shapers: write the body of an event as a value.

import type { WebhookEvent } from 'patchbay:plugin/shaper@0.2.1';
import { failure } from './index';

export type { WebhookEvent } from 'patchbay:plugin/shaper@0.2.1';

/** Makes a function the shaper. It returns the body, or `undefined` if the event is not sent. */
export function shaper(shape: (event: WebhookEvent) => unknown) {
  return {
    shape(event: WebhookEvent): string | null {
      try {
        const body = shape(event);
        return body === undefined ? null : JSON.stringify(body);
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}
