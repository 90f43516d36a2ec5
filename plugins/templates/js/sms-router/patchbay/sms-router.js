// SMS routers: helpers to write decisions.

import { failure } from './index';

/** Makes a function the router: `export const smsRouting = router((sms) => ...)`. It is called for each message. */
export function router(decide) {
  return {
    decideSms(messages) {
      try {
        return messages.map((sms) => decide(sms));
      } catch (thrown) {
        throw failure(thrown);
      }
    },
  };
}

/** The message is sent unchanged. */
export const asIs = { tag: 'as-is' };

/** The message is sent with changes. Absent fields stay unchanged. */
export function change(changes) {
  const nothing = { bind: null, source: null, priority: null, validitySeconds: null, text: null, reason: null };
  return { tag: 'change', val: { ...nothing, ...changes } };
}

/** Refuses the message, for this reason. */
export function refuse(reason) {
  return { tag: 'refuse', val: reason };
}
