/* SMS routers: helpers to write decisions. */
#ifndef PATCHBAY_SMS_ROUTER_H
#define PATCHBAY_SMS_ROUTER_H

#include "patchbay.h"

typedef exports_patchbay_plugin_sms_routing_sms_t patchbay_sms;
typedef exports_patchbay_plugin_sms_routing_change_t patchbay_change;
typedef exports_patchbay_plugin_sms_routing_decision_t patchbay_decision;

/* Makes a function the router: `bool decide(patchbay_sms *sms, patchbay_decision *out, patchbay_error *error)`. It is
 * called for each message and returns true with a decision, or false with an error. */
#define PATCHBAY_SMS_ROUTER(decide)                                                                               \
  bool exports_patchbay_plugin_sms_routing_decide_sms(exports_patchbay_plugin_sms_routing_list_sms_t *messages,   \
                                                      exports_patchbay_plugin_sms_routing_list_decision_t *out,   \
                                                      patchbay_error *error) {                                    \
    out->len = messages->len;                                                                                     \
    out->ptr = calloc(messages->len + 1, sizeof *out->ptr);                                                       \
    for (size_t i = 0; i < messages->len; i++)                                                                    \
      if (!decide(&messages->ptr[i], &out->ptr[i], error)) return false;                                          \
    return true;                                                                                                  \
  }

/* True if it goes to a subscriber. */
static inline bool patchbay_is_outgoing(patchbay_sms *sms) {
  return sms->direction == EXPORTS_PATCHBAY_PLUGIN_SMS_ROUTING_DIRECTION_OUTGOING;
}

/* The message is sent unchanged. */
static inline bool patchbay_as_is(patchbay_decision *out) {
  *out = (patchbay_decision){.tag = EXPORTS_PATCHBAY_PLUGIN_SMS_ROUTING_DECISION_AS_IS};
  return true;
}

/* The message is sent with the changes that are set in the returned value. */
static inline patchbay_change *patchbay_changed(patchbay_decision *out, const char *reason) {
  *out = (patchbay_decision){.tag = EXPORTS_PATCHBAY_PLUGIN_SMS_ROUTING_DECISION_CHANGE};
  out->val.change.reason = patchbay_some(reason);
  return &out->val.change;
}

/* Refuses the message, for this reason. */
static inline bool patchbay_refuse(patchbay_decision *out, const char *reason) {
  *out = (patchbay_decision){.tag = EXPORTS_PATCHBAY_PLUGIN_SMS_ROUTING_DECISION_REFUSE};
  out->val.refuse = patchbay_string(reason);
  return true;
}

#endif
