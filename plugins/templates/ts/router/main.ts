// Sends customers with the tag `vip` to the team VIP, and all others to the default bot.

import { router, to } from './patchbay/router';

export const routing = router((inbound) => {
  if (inbound.tags.includes('vip')) return to.team('VIP', 'the contact has the tag vip');
  return to.defaultBot('nothing special');
});
