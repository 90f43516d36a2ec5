/* Sends customers with the tag `vip` to the team VIP, and all others to the default bot. */
#include "router.h"

bool patchbay_route(patchbay_inbound *inbound, patchbay_decision *out, patchbay_error *error) {
  (void)error; /* See patchbay_fail. */
  if (patchbay_has_tag(inbound, "vip")) return patchbay_to_team(out, "VIP", "the contact has the tag vip");
  return patchbay_to_bot(out, NULL, "nothing special");
}
