// SMS routers: helpers to write decisions.

import type { Change, Decision, Sms } from 'patchbay:plugin/sms-routing@0.3.0';
import { failure } from './index';

export type { Change, Decision, Sms } from 'patchbay:plugin/sms-routing@0.3.0';

/** Makes a function the router: `export const smsRouting = router((sms) => ...)`. It is called for each message. */
export function router(decide: (sms: Sms) => Decision) {
  return {
    decideSms(messages: Sms[]): Decision[] {
      try {
        return messages.map((sms) => decide(sms));
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}

/** The message is sent unchanged. */
export const asIs: Decision = { tag: 'as-is' };

/** The message is sent with changes. Absent fields stay unchanged. */
export function change(changes: Partial<Change>): Decision {
  const nothing = { bind: null, source: null, priority: null, validitySeconds: null, text: null, reason: null };
  return { tag: 'change', val: { ...nothing, ...changes } };
}

/** Refuses the message, for this reason. */
export function refuse(reason: string): Decision {
  return { tag: 'refuse', val: reason };
}
