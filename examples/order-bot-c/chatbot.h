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
typedef exports_patchbay_plugin_bot_attribute_value_t patchbay_attribute_value;

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

/* The id of the job of patchbay_start that has ended. `response` gets the response, or status 0 and the reason. "" for
 * other events. */
static inline char *patchbay_event_finished(patchbay_event *event, patchbay_response *response) {
  if (event->kind.tag != EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_HTTP_FINISHED) return "";
  exports_patchbay_plugin_bot_http_finished_t *finished = &event->kind.val.http_finished;
  bool is_failed = finished->outcome.tag == EXPORTS_PATCHBAY_PLUGIN_BOT_HTTP_OUTCOME_FAILED;
  *response = is_failed ? patchbay_unanswered(&finished->outcome.val.failed)
                        : patchbay_received(&finished->outcome.val.response);
  return patchbay_text(finished->job);
}

/* The value of an attribute of the contact. NULL if it has none. */
static inline patchbay_attribute_value *patchbay_attribute(patchbay_session *session, const char *name) {
  for (size_t i = 0; i < session->attributes.len; i++) {
    exports_patchbay_plugin_bot_attribute_t *attribute = &session->attributes.ptr[i];
    if (strcmp(patchbay_text(attribute->name), name) == 0) return &attribute->value;
  }
  return NULL;
}

/* The value of an attribute that is neither a number nor true or false. NULL if the contact has no such value. */
static inline char *patchbay_attribute_text(patchbay_session *session, const char *name) {
  patchbay_attribute_value *value = patchbay_attribute(session, name);
  if (value == NULL || value->tag == EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_NUMBER ||
      value->tag == EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_BOOLEAN)
    return NULL;
  return patchbay_text(value->val.text); /* These cases have the same place. */
}

/* The value of an attribute that is a number. `otherwise` if the contact has no such value. */
static inline double patchbay_attribute_number(patchbay_session *session, const char *name, double otherwise) {
  patchbay_attribute_value *value = patchbay_attribute(session, name);
  bool is_number = value != NULL && value->tag == EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_NUMBER;
  return is_number ? value->val.number : otherwise;
}

/* The value of an attribute that is true or false. `otherwise` if the contact has no such value. */
static inline bool patchbay_attribute_boolean(patchbay_session *session, const char *name, bool otherwise) {
  patchbay_attribute_value *value = patchbay_attribute(session, name);
  bool is_boolean = value != NULL && value->tag == EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_BOOLEAN;
  return is_boolean ? value->val.boolean : otherwise;
}

/* The tags of the chat, as they are now. NULL ends the list. */
static inline char **patchbay_tags(void) {
  plugin_list_string_t tags;
  patchbay_plugin_conversation_tags(&tags);
  return patchbay_texts(tags);
}

/* The last messages, oldest first: at most `most` of them, and never more than 50. */
static inline patchbay_plugin_conversation_list_past_message_t patchbay_history(uint32_t most) {
  patchbay_plugin_conversation_list_past_message_t messages;
  patchbay_plugin_conversation_history(most, &messages);
  return messages;
}

/* The timers of this conversation, the next one first. */
static inline patchbay_plugin_conversation_list_running_timer_t patchbay_timers(void) {
  patchbay_plugin_conversation_list_running_timer_t timers;
  patchbay_plugin_conversation_timers(&timers);
  return timers;
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

/* Sends a text with a list of up to ten entries: pairs of an id and a title of at most 24 characters, then NULL. */
static inline void patchbay_reply_list(patchbay_actions *out, const char *text, const char *button_label, ...) {
  exports_patchbay_plugin_bot_list_section_t *section = calloc(1, sizeof *section);
  section->rows.ptr = calloc(10, sizeof *section->rows.ptr);
  va_list values;
  va_start(values, button_label);
  for (const char *id; section->rows.len < 10 && (id = va_arg(values, const char *)) != NULL; section->rows.len++) {
    exports_patchbay_plugin_bot_list_row_t *row = &section->rows.ptr[section->rows.len];
    row->id = patchbay_string(id);
    row->title = patchbay_string(va_arg(values, const char *));
  }
  va_end(values);
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REPLY_LIST);
  action->val.reply_list.text = patchbay_string(text);
  action->val.reply_list.button_label = patchbay_string(button_label);
  action->val.reply_list.sections.ptr = section;
  action->val.reply_list.sections.len = 1;
}

/* Sends a file of a kind such as PATCHBAY_PLUGIN_TYPES_MEDIA_KIND_IMAGE. `caption` may be NULL. */
static inline void patchbay_reply_media(patchbay_actions *out, uint8_t kind, const char *url, const char *caption) {
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REPLY_MEDIA);
  action->val.reply_media.kind = kind;
  action->val.reply_media.url = patchbay_string(url);
  action->val.reply_media.caption = patchbay_some(caption);
}

/* Sends a template once, later. A later template with the same `name` replaces it. The values of its body follow, then
 * NULL. */
static inline void patchbay_schedule_template(patchbay_actions *out, const char *name, uint32_t after_seconds,
                                              const char *template_id, const char *template_name, ...) {
  plugin_list_string_t parameters = {0};
  va_list values;
  va_start(values, template_name);
  for (const char *value; (value = va_arg(values, const char *)) != NULL;) {
    parameters.ptr = realloc(parameters.ptr, (parameters.len + 1) * sizeof *parameters.ptr);
    parameters.ptr[parameters.len++] = patchbay_string(value);
  }
  va_end(values);
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_SCHEDULE_TEMPLATE);
  action->val.schedule_template.name = patchbay_string(name);
  action->val.schedule_template.after_seconds = after_seconds;
  action->val.schedule_template.template_.id = patchbay_string(template_id);
  action->val.schedule_template.template_.name = patchbay_string(template_name);
  action->val.schedule_template.template_.parameters = parameters;
}

/* Takes back a template that waits under this name. */
static inline void patchbay_cancel_template(patchbay_actions *out, const char *name) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_CANCEL_TEMPLATE)->val.cancel_template = patchbay_string(name);
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

/* Puts a tag on the chat. */
static inline void patchbay_tag(patchbay_actions *out, const char *name) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_ADD_TAG)->val.add_tag = patchbay_string(name);
}

/* Takes a tag off the chat. */
static inline void patchbay_remove_tag(patchbay_actions *out, const char *name) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REMOVE_TAG)->val.remove_tag = patchbay_string(name);
}

/* Values of patchbay_set_attribute. The type is the one that the client defined. */
static inline patchbay_attribute_value patchbay_text_value(const char *text) {
  return (patchbay_attribute_value){EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_TEXT, {.text = patchbay_string(text)}};
}

static inline patchbay_attribute_value patchbay_number_value(double number) {
  return (patchbay_attribute_value){EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_NUMBER, {.number = number}};
}

static inline patchbay_attribute_value patchbay_boolean_value(bool yes) {
  return (patchbay_attribute_value){EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_BOOLEAN, {.boolean = yes}};
}

/* A date such as 1990-05-31. */
static inline patchbay_attribute_value patchbay_date_value(const char *date) {
  return (patchbay_attribute_value){EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_DATE, {.date = patchbay_string(date)}};
}

static inline patchbay_attribute_value patchbay_choice_value(const char *choice) {
  return (patchbay_attribute_value){EXPORTS_PATCHBAY_PLUGIN_BOT_ATTRIBUTE_VALUE_CHOICE,
                                    {.choice = patchbay_string(choice)}};
}

/* Sets an attribute of the contact. */
static inline void patchbay_set_attribute(patchbay_actions *out, const char *name, patchbay_attribute_value value) {
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_SET_ATTRIBUTE);
  action->val.set_attribute.name = patchbay_string(name);
  action->val.set_attribute.value.is_some = true;
  action->val.set_attribute.value.val = value;
}

/* Removes the value of an attribute of the contact. */
static inline void patchbay_remove_attribute(patchbay_actions *out, const char *name) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_SET_ATTRIBUTE)->val.set_attribute.name = patchbay_string(name);
}

/* Shows the customer that an answer is being written. */
static inline void patchbay_typing(patchbay_actions *out) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_TYPING);
}

/* Marks the messages of the customer as read. */
static inline void patchbay_mark_read(patchbay_actions *out) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_MARK_READ);
}

/* Puts an emoji on a message of the conversation; NULL takes it back. */
static inline void patchbay_react(patchbay_actions *out, const char *message_id, const char *emoji) {
  patchbay_action *action = patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REACT);
  action->val.react.message_id = patchbay_string(message_id);
  action->val.react.emoji = patchbay_some(emoji);
}

/* Asks the customer for a rating. */
static inline void patchbay_request_rating(patchbay_actions *out) {
  patchbay_add(out, EXPORTS_PATCHBAY_PLUGIN_BOT_ACTION_REQUEST_RATING);
}

#endif
