/* Reports the status of orders: asks for the number, looks it up over HTTP, and hands over to agents. */
#include "chatbot.h"
#include "json.h"

/* The timer of a silent customer, and its time. */
#define REMINDER "reminder"
#define SILENCE_SECONDS (30 * 60)

static bool same(const char *a, const char *b) { return strcasecmp(a, b) == 0; }

/* Ends an answer after which the bot waits for the customer. */
static bool stay(patchbay_actions *out, const char *state) {
  patchbay_set_state(out, state);
  patchbay_start_timer(out, REMINDER, SILENCE_SECONDS);
  return true;
}

/* Ends the conversation. */
static bool leave(patchbay_actions *out) {
  patchbay_set_state(out, "");
  patchbay_close(out);
  return true;
}

static bool menu(patchbay_actions *out, const char *text) {
  patchbay_reply_buttons(out, text, "status", "Order status", "person", "Talk to a person", NULL);
  return stay(out, "menu");
}

static bool greet(patchbay_session *session, patchbay_actions *out) {
  char *stored = patchbay_get(PATCHBAY_PARTICIPANT, "visits");
  long visits = stored != NULL ? strtol(stored, NULL, 10) : 0;
  patchbay_set(PATCHBAY_PARTICIPANT, "visits", patchbay_format("%ld", visits + 1));
  char *name = patchbay_optional(session->customer.name);
  const char *welcome = visits == 0 ? "Welcome" : "Welcome back";
  return menu(out, patchbay_format("%s%s%s! How can I help?", welcome, name != NULL ? ", " : "", name != NULL ? name : ""));
}

static bool look_up(const char *number, patchbay_actions *out, patchbay_error *error) {
  size_t length = strlen(number);
  if (length < 4 || length > 10 || strspn(number, "0123456789") != length) {
    patchbay_reply_text(out, "An order number has 4 to 10 digits, such as 1001. Please send it again.");
    return stay(out, "order");
  }
  char *api = patchbay_json_text(patchbay_config(), "orderApi");
  if (api == NULL) return patchbay_fail(error, "bad-config", "the configuration has no orderApi", false);
  patchbay_response response = patchbay_fetch(patchbay_format("%s/orders/%s", api, number));
  if (response.status == 404) {
    patchbay_reply_text(out, "There is no order %s. Please check the number and send it again.", number);
    return stay(out, "order");
  }
  char *status = response.status == 200 ? patchbay_json_text(response.body, "status") : NULL;
  if (status == NULL) {
    if (response.status == 0) patchbay_warn("%s", response.body);
    else patchbay_warn("orders/%s answered %d", number, response.status);
    const char *sorry = "Our order system does not answer right now.";
    patchbay_reply_buttons(out, sorry, "status", "Try again", "person", "Talk to a person", NULL);
    return stay(out, "menu");
  }
  char *arrives = patchbay_json_text(response.body, "arrives");
  char *day = arrives != NULL ? patchbay_format(" It arrives on %s.", arrives) : "";
  patchbay_reply_text(out, "Order %s: %s.%s", number, status, day);
  patchbay_reply_buttons(out, "Anything else?", "status", "Another order", "person", "Talk to a person", "bye", "No, thanks",
                         NULL);
  return stay(out, "menu");
}

static char *trimmed(char *text) {
  text += strspn(text, " \t\r\n");
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) text[--length] = 0;
  return text;
}

static bool answer(patchbay_event *event, patchbay_session *session, patchbay_actions *out, patchbay_error *error) {
  char *text = patchbay_event_text(event);
  if (text == NULL) return true;
  text = trimmed(text);
  char *choice = patchbay_event_choice(event), *state = patchbay_text(session->state);
  if (same(choice, "status") || same(text, "order status")) {
    patchbay_reply_text(out, "What is your order number?");
    return stay(out, "order");
  }
  if (same(choice, "person") || same(text, "person")) {
    patchbay_reply_text(out, "A colleague will answer you here.");
    patchbay_set_state(out, "");
    patchbay_hand_over(out, patchbay_json_text(patchbay_config(), "team"), "The customer asked for a person.");
    return true;
  }
  if (same(choice, "bye") || same(text, "bye")) {
    patchbay_reply_text(out, "Thank you, goodbye!");
    patchbay_request_rating(out);
    return stay(out, "rating");
  }
  if (same(state, "order")) return look_up(text, out, error);
  if (same(state, "menu")) return menu(out, "Please choose.");
  return greet(session, out);
}

static bool remind(patchbay_event *event, patchbay_session *session, patchbay_actions *out) {
  char *state = patchbay_text(session->state);
  if (!same(patchbay_event_timer(event), REMINDER)) return true;
  if (same(state, "order")) patchbay_reply_text(out, "Are you still there? I am waiting for your order number.");
  if (same(state, "menu"))
    patchbay_reply_text(out, "Are you still there? Choose one of the buttons, or write to me any time.");
  return same(state, "rating") ? leave(out) : true;
}

bool patchbay_handle(patchbay_event *event, patchbay_session *session, patchbay_actions *out, patchbay_error *error) {
  switch (event->kind.tag) {
    case EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_MESSAGE: return answer(event, session, out, error);
    case EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_TIMER: return remind(event, session, out);
    case EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_AGENT_RELEASED: return menu(out, "I am back. How can I help?");
    case EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_RATING:
      patchbay_reply_text(out, "Thank you for your rating!");
      return leave(out);
    default: return true;
  }
}
