/* Repeats the customer's text, and hands over to agents on request. */
#include "chatbot.h"

bool patchbay_handle(patchbay_event *event, patchbay_session *session, patchbay_actions *out, patchbay_error *error) {
  (void)error; /* See patchbay_fail. */
  char *text = patchbay_event_text(event);
  if (text == NULL) return true; /* Reactions, files and timers have no text, so there is nothing to do. */
  if (strcasecmp(text, "person") == 0) {
    patchbay_reply_text(out, "A colleague will answer you here.");
    patchbay_hand_over(out, NULL, "The customer asked for a person.");
    return true;
  }
  char *name = patchbay_optional(session->customer.name);
  patchbay_reply_text(out, "Hello, %s! You said: %s", name != NULL ? name : "you", text);
  return true;
}
