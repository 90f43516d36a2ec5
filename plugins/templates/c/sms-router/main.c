/* Sends one-time pins first, refuses long texts of batches, and leaves all other messages unchanged. */
#include "sms_router.h"

static bool decide(patchbay_sms *sms, patchbay_decision *out, patchbay_error *error) {
  (void)error; /* See patchbay_fail. */
  if (patchbay_is_outgoing(sms) && strcmp(patchbay_text(sms->traffic), "otp") == 0) {
    patchbay_change *change = patchbay_changed(out, "a pin");
    change->priority.is_some = change->validity_seconds.is_some = true;
    change->priority.val = 3;
    change->validity_seconds.val = 300;
    return true;
  }
  if (strcmp(patchbay_text(sms->product), "batch") == 0 && sms->segments > 6)
    return patchbay_refuse(out, "too long for a batch");
  return patchbay_as_is(out);
}

PATCHBAY_SMS_ROUTER(decide)
