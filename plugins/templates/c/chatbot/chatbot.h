/* Chatbots: helpers to read events and to write actions. The other types of the interface are in
 * build/bindings/plugin.h. */
#ifndef PATCHBAY_CHATBOT_H
#define PATCHBAY_CHATBOT_H

#include "patchbay.h"

typedef exports_patchbay_plugin_bot_event_t patchbay_event;
typedef exports_patchbay_plugin_bot_session_t patchbay_session;
typedef exports_patchbay_plugin_bot_action_t patchbay_action;
typedef exports_patchbay_plugin_bot_list_action_t patchbay_actions;
typedef exports_patchbay_plugin_bot_button_t patchbay_button;

/* A chatbot implements `bool patchbay_handle(patchbay_event *event, patchbay_session *session,
 * patchbay_actions *out, patchbay_error *error)`. It returns true if the actions are the answer, or false with an
 * error. */
#define patchbay_handle exports_patchbay_plugin_bot_handle

/* The choice in a message. NULL if the customer did not choose from buttons or a list. */
static inline patchbay_plugin_types_choice_t *patchbay_chosen(patchbay_event *event) {
  if (event->kind.tag != EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_MESSAGE) return NULL;
  patchbay_plugin_types_content_t *content = &event->kind.val.message.content;
  return content->tag == PATCHBAY_PLUGIN_TYPES_CONTENT_CHOICE ? &content->val.choice : NULL;
}

/* The customer's words: the text, or the title of the chosen button. NULL if there are none. */
static inline char *patchbay_event_text(patchbay_event *event) {
  patchbay_plugin_types_choice_t *choice = patchbay_chosen(event);
  if (choice != NULL) return patchbay_text(choice->text);
  if (event->kind.tag != EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_MESSAGE) return NULL;
  patchbay_plugin_types_content_t *content = &event->kind.val.message.content;
  return content->tag == PATCHBAY_PLUGIN_TYPES_CONTENT_TEXT ? patchbay_text(content->val.text) : NULL;
}

/* The id or payload of the chosen button or list entry. "" if none was chosen. */
static inline char *patchbay_event_choice(patchbay_event *event) {
  patchbay_plugin_types_choice_t *choice = patchbay_chosen(event);
  return choice == NULL ? "" : patchbay_text(choice->payload);
}

/* The name of the timer that fired. "" for other events. */
static inline char *patchbay_event_timer(patchbay_event *event) {
  return event->kind.tag == EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_TIMER ? patchbay_text(event->kind.val.timer) : "";
}

static inline patchbay_action *patchbay_add(patchbay_actions *out, uint8_t tag) {
  out->ptr = realloc(out->ptr, (out->len + 1) * sizeof *out->ptr);
  out->ptr[out->len] = (patchbay_action){.tag = tag};
  return &out->ptr[out->len++];
}

/* Sends a text in the format of printf. */
static inline void patchbay_reply_text(patchbay_actions *out, const char *format, ...) {
  va_list values;
  va_start(values, format);
  plugin_string_t text = patchbay_string(patchbay_vformat(format, values));
  va_end(values);
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REPLY_TEXT)->val.reply_text.text = text;
}

/* Sends a text with up to three buttons: pairs of an id and a title of at most 20 characters, then NULL. */
static inline void patchbay_reply_buttons(patchbay_actions *out, const char *text, ...) {
  patchbay_button *buttons = calloc(3, sizeof *buttons);
  size_t count = 0;
  va_list values;
  va_start(values, text);
  for (const char *id; count < 3 && (id = va_arg(values, const char *)) != NULL; count++)
    buttons[count] = (patchbay_button){.id = patchbay_string(id), .title = patchbay_string(va_arg(values, const char *))};
  va_end(values);
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REPLY_BUTTONS);
  action->val.reply_buttons.text = patchbay_string(text);
  action->val.reply_buttons.buttons.ptr = buttons;
  action->val.reply_buttons.buttons.len = count;
}

/* Stores the state of the conversation. The next call gets it as `session->state`. */
static inline void patchbay_set_state(patchbay_actions *out, const char *state) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_SET_STATE)->val.set_state = patchbay_string(state);
}

/* Starts a timer that calls the bot again. If a timer with this name runs, it is moved. */
static inline void patchbay_start_timer(patchbay_actions *out, const char *name, uint32_t after_seconds) {
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_START_TIMER);
  action->val.start_timer.name = patchbay_string(name);
  action->val.start_timer.after_seconds = after_seconds;
}

/* Cancels the timer with this name. */
static inline void patchbay_cancel_timer(patchbay_actions *out, const char *name) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_CANCEL_TIMER)->val.cancel_timer = patchbay_string(name);
}

/* Hands the conversation over to a team; NULL: to the unassigned queue. The note is for the agent; NULL: no note. */
static inline void patchbay_hand_over(patchbay_actions *out, const char *team, const char *note) {
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_HAND_OVER);
  action->val.hand_over.team = patchbay_some(team);
  action->val.hand_over.note = patchbay_some(note);
}

/* Closes the conversation. */
static inline void patchbay_close(patchbay_actions *out) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_CLOSE);
}

/* Puts a tag on the contact. */
static inline void patchbay_tag(patchbay_actions *out, const char *name) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_ADD_TAG)->val.add_tag = patchbay_string(name);
}

/* Asks the customer for a rating. */
static inline void patchbay_request_rating(patchbay_actions *out) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REQUEST_RATING);
}

#endif
