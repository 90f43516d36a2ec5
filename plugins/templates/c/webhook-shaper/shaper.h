/* Webhook shapers. */
#ifndef PATCHBAY_SHAPER_H
#define PATCHBAY_SHAPER_H

#include "json.h"
#include "patchbay.h"

typedef exports_patchbay_plugin_shaper_webhook_event_t patchbay_webhook_event;
typedef exports_patchbay_plugin_shaper_body_t patchbay_body;

/* A shaper implements `bool patchbay_shape(patchbay_webhook_event *event, patchbay_body *out,
 * patchbay_error *error)`. It returns true with a body, or false with an error. */
#define patchbay_shape exports_patchbay_plugin_shaper_shape

/* The event is not sent. */
static inline bool patchbay_nothing(patchbay_body *out) {
  *out = (patchbay_body){.tag = EXPORTS_PATCHBAY_PLUGIN_SHAPER_BODY_SKIP};
  return true;
}

/* The body that the host writes without a plugin. */
static inline bool patchbay_unchanged(patchbay_body *out) {
  *out = (patchbay_body){.tag = EXPORTS_PATCHBAY_PLUGIN_SHAPER_BODY_UNCHANGED};
  return true;
}

/* Sends this JSON text, in the format of printf. */
static inline bool patchbay_body_json(patchbay_body *out, const char *format, ...) {
  va_list values;
  va_start(values, format);
  *out = (patchbay_body){.tag = EXPORTS_PATCHBAY_PLUGIN_SHAPER_BODY_JSON};
  out->val.json = patchbay_string(patchbay_vformat(format, values));
  va_end(values);
  return true;
}

#endif
