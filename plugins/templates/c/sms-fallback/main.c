/* If the sender asked for a fallback, sends the sender's own text; if there is none, that of the template. */
#include "fallback.h"

bool patchbay_decide(patchbay_undeliverable *undeliverable, patchbay_decision *out, patchbay_error *error) {
  (void)error; /* See patchbay_fail. */
  if (!undeliverable->requested.send_fallback) return patchbay_skip(out, "not asked for");
  char *text = patchbay_optional(undeliverable->requested.text);
  if (text == NULL) text = patchbay_optional(undeliverable->auto_text);
  if (text == NULL) return patchbay_skip(out, "there is no text");
  return patchbay_send_sms(out, text, undeliverable->requested.unicode);
}
