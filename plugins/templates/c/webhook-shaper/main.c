/* Reports messages of customers in three fields, and no other events. */
#include "shaper.h"

bool patchbay_shape(patchbay_webhook_event *event, patchbay_body *out, patchbay_error *error) {
  (void)error; /* See patchbay_fail. */
  if (event->tag != EXPORTS_PATCHBAY_PLUGIN_SHAPER_WEBHOOK_EVENT_INCOMING) return patchbay_nothing(out);
  exports_patchbay_plugin_shaper_incoming_message_event_t *message = &event->val.incoming;
  char *from = patchbay_json_quote(patchbay_optional(message->sender));
  char *to = patchbay_json_quote(patchbay_text(message->receiver));
  char *text = patchbay_json_quote(patchbay_optional(message->text));
  return patchbay_body_json(out, "{\"from\":%s,\"to\":%s,\"text\":%s}", from, to, text);
}
