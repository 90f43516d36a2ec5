/* If the sender asked for a fallback, sends the sender's own text; if there is none, that of the template. */
#include "fallback.h"

void patchbay_decide(patchbay_undeliverable *undeliverable, patchbay_decision *out) {
  if (!undeliverable->requested.send_fallback) {
    patchbay_skip(out, "not asked for");
    return;
  }
  char *text = patchbay_optional(undeliverable->requested.text);
  if (text == NULL) text = patchbay_optional(undeliverable->auto_text);
  if (text == NULL) {
    patchbay_skip(out, "there is no text");
    return;
  }
  patchbay_send_sms(out, text, undeliverable->requested.unicode);
}
