/* Rules of the SMS fallback: helpers to write decisions. */
#ifndef PATCHBAY_FALLBACK_H
#define PATCHBAY_FALLBACK_H

#include "patchbay.h"

typedef exports_patchbay_plugin_fallback_undeliverable_t patchbay_undeliverable;
typedef exports_patchbay_plugin_fallback_decision_t patchbay_decision;

/* A rule implements `bool patchbay_decide(patchbay_undeliverable *undeliverable, patchbay_decision *out,
 * patchbay_error *error)`. It returns true with a decision, or false with an error. */
#define patchbay_decide exports_patchbay_plugin_fallback_decide

/* Sends this SMS, from the sender id that is set for the client. */
static inline bool patchbay_send_sms(patchbay_decision *out, const char *text, bool unicode) {
  *out = (patchbay_decision){.tag = EXPORTS_PATCHBAY_PLUGIN_FALLBACK_DECISION_SEND};
  out->val.send.text = patchbay_string(text);
  out->val.send.unicode = unicode;
  return true;
}

/* Sends nothing, for this reason. */
static inline bool patchbay_skip(patchbay_decision *out, const char *reason) {
  *out = (patchbay_decision){.tag = EXPORTS_PATCHBAY_PLUGIN_FALLBACK_DECISION_SKIP};
  out->val.skip = patchbay_string(reason);
  return true;
}

#endif
