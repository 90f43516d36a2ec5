/* Routers: helpers to write decisions, each with the reason that is stored with it. */
#ifndef PATCHBAY_ROUTER_H
#define PATCHBAY_ROUTER_H

#include "patchbay.h"

typedef exports_patchbay_plugin_routing_inbound_t patchbay_inbound;
typedef exports_patchbay_plugin_routing_decision_t patchbay_decision;

/* A router implements `bool patchbay_route(patchbay_inbound *inbound, patchbay_decision *out,
 * patchbay_error *error)`. It returns true with a decision, or false with an error. */
#define patchbay_route exports_patchbay_plugin_routing_route

/* True if the contact has a tag. */
static inline bool patchbay_has_tag(patchbay_inbound *inbound, const char *tag) {
  for (size_t i = 0; i < inbound->tags.len; i++)
    if (strcmp(patchbay_text(inbound->tags.ptr[i]), tag) == 0) return true;
  return false;
}

static inline bool patchbay_decided(patchbay_decision *out, uint8_t tag, const char *reason) {
  *out = (patchbay_decision){.target.tag = tag, .reason = patchbay_string(reason)};
  return true;
}

/* A chatbot answers. NULL: the client's default one. */
static inline bool patchbay_to_bot(patchbay_decision *out, const char *name, const char *reason) {
  patchbay_decided(out, EXPORTS_PATCHBAY_PLUGIN_ROUTING_TARGET_BOT, reason);
  out->target.val.bot = patchbay_some(name);
  return true;
}

/* The conversation waits for a team. */
static inline bool patchbay_to_team(patchbay_decision *out, const char *name, const char *reason) {
  patchbay_decided(out, EXPORTS_PATCHBAY_PLUGIN_ROUTING_TARGET_TEAM, reason);
  out->target.val.team = patchbay_string(name);
  return true;
}

/* An agent answers, by id. */
static inline bool patchbay_to_agent(patchbay_decision *out, const char *id, const char *reason) {
  patchbay_decided(out, EXPORTS_PATCHBAY_PLUGIN_ROUTING_TARGET_AGENT, reason);
  out->target.val.agent = patchbay_string(id);
  return true;
}

/* The conversation waits in the unassigned queue. */
static inline bool patchbay_to_queue(patchbay_decision *out, const char *reason) {
  return patchbay_decided(out, EXPORTS_PATCHBAY_PLUGIN_ROUTING_TARGET_QUEUE, reason);
}

#endif
