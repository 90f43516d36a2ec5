// Sends one-time pins first, refuses long texts of batches, and leaves all other messages unchanged.

import { asIs, change, refuse, router } from './patchbay/sms-router';

export const smsRouting = router((sms) => {
  if (sms.direction === 'outgoing' && sms.traffic === 'otp')
    return change({ priority: 3, validitySeconds: 300, reason: 'a pin' });
  if (sms.product === 'batch' && sms.segments > 6) return refuse('too long for a batch');
  return asIs;
});
