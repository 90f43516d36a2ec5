/* Webhook shapers. */
#ifndef PATCHBAY_SHAPER_H
#define PATCHBAY_SHAPER_H

#include "json.h"
#include "patchbay.h"

typedef exports_patchbay_plugin_shaper_webhook_event_t patchbay_webhook_event;
typedef plugin_option_string_t patchbay_body;

/* A shaper implements `bool patchbay_shape(patchbay_webhook_event *event, patchbay_body *out,
 * patchbay_error *error)`. It returns true with a body, true without one if the event is not sent, or false with an
 * error. */
#define patchbay_shape exports_patchbay_plugin_shaper_shape

/* The event is not sent. */
static inline bool patchbay_nothing(patchbay_body *out) {
  *out = (patchbay_body){.is_some = false};
  return true;
}

/* Sends this JSON text, in the format of printf. */
static inline bool patchbay_body_json(patchbay_body *out, const char *format, ...) {
  va_list values;
  va_start(values, format);
  *out = patchbay_some(patchbay_vformat(format, values));
  va_end(values);
  return true;
}

#endif
