// SMS routers: short ways to write decisions.

import { failure } from './index';

/** Makes a function the router: `export const smsRouting = router((sms) => ...)`. It is asked about each message. */
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

/** The message goes on as it is. */
export const asIs = { tag: 'as-is' };

/** The message goes on with changes; what is left out stays as it is. */
export function change(changes) {
  const nothing = { bind: null, source: null, priority: null, validitySeconds: null, text: null, reason: null };
  return { tag: 'change', val: { ...nothing, ...changes } };
}

/** The message does not go on, for this reason. */
export function refuse(reason) {
  return { tag: 'refuse', val: reason };
}
