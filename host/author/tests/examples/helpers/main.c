/* Uses each helper of interface 0.3 for the conversations in helpers.yaml. */
#include "files.h"

static const char *or_none(const char *text) { return text != NULL ? text : "-"; }

static char *joined(char *all, const char *between, char *more) {
  return all[0] == 0 ? more : patchbay_format("%s%s%s", all, between, more);
}

static void facts(patchbay_actions *out) {
  char *tags = "", *names = "", *said = "";
  for (char **tag = patchbay_tags(); *tag != NULL; tag++) tags = joined(tags, ",", *tag);
  patchbay_plugin_conversation_list_running_timer_t timers = patchbay_timers();
  for (size_t i = 0; i < timers.len; i++) names = joined(names, ",", patchbay_text(timers.ptr[i].name));
  patchbay_plugin_conversation_list_past_message_t messages = patchbay_history(3);
  for (size_t i = 0; i < messages.len; i++) said = joined(said, "; ", patchbay_text(messages.ptr[i].text));
  patchbay_reply_text(out, "%s | %s | %s", tags, names, said);
}

static void set(patchbay_actions *out) {
  patchbay_set_attribute(out, "plan", patchbay_choice_value("gold"));
  patchbay_set_attribute(out, "visits", patchbay_number_value(7.5));
  patchbay_set_attribute(out, "vip", patchbay_boolean_value(false));
  patchbay_set_attribute(out, "born", patchbay_date_value("1991-01-02"));
  patchbay_set_attribute(out, "city", patchbay_text_value("Cape Town"));
}

static bool from_customer(char *id, patchbay_plugin_types_media_t *media, patchbay_actions *out, patchbay_error *error) {
  char *wish = patchbay_optional(media->caption);
  if (wish == NULL) return true;
  patchbay_file file;
  if (strcmp(wish, "whole") == 0) {
    if (patchbay_read_file(id, 22, &file, error))
      patchbay_reply_text(out, "%s: %s", or_none(patchbay_optional(media->filename)), file.bytes);
    else
      patchbay_reply_text(out, "%s: %s", patchbay_text(error->code), patchbay_text(error->message));
    return true;
  }
  if (strcmp(wish, "parts") == 0) {
    char *sizes = "";
    patchbay_file_reader reader = {.message_id = id};
    while (patchbay_next_part(&reader, error))
      sizes = joined(sizes, ", ", patchbay_format("%zu %c", reader.part.length, reader.part.bytes[0]));
    patchbay_reply_text(out, "%s", sizes);
    return !reader.has_failed;
  }
  if (strcmp(wish, "part") == 0) {
    patchbay_file end;
    if (!patchbay_read_part(id, 10, 3, &file, error) || !patchbay_read_part(id, 22, 3, &end, error)) return false;
    patchbay_reply_text(out, "[%s] [%s]", file.bytes, end.bytes);
    return true;
  }
  if (strcmp(wish, "back") != 0) return true;
  if (!patchbay_read_file(id, 1 << 20, &file, error)) return false;
  return patchbay_reply_file(out, PATCHBAY_PLUGIN_TYPES_MEDIA_KIND_DOCUMENT, "copy.pdf", file.bytes, file.length, "Yours",
                             error);
}

static bool two_files(const char *one, patchbay_actions *out, patchbay_error *error) {
  uint8_t kind = PATCHBAY_PLUGIN_TYPES_MEDIA_KIND_DOCUMENT;
  if (!patchbay_reply_file(out, kind, "one.pdf", one, strlen(one), NULL, error)) return false;
  const char *two = "%PDF-1.4 two";
  char *url = patchbay_write_file("", two, strlen(two), error);
  if (url == NULL) return false;
  patchbay_reply_media(out, kind, url, "Two");
  return true;
}

bool patchbay_handle(patchbay_event *event, patchbay_session *session, patchbay_actions *out, patchbay_error *error) {
  patchbay_response response;
  char *job = patchbay_event_finished(event, &response);
  if (job[0] != 0) {
    const char *which = strcmp(job, patchbay_text(session->state)) == 0 ? "the same" : "another";
    if (response.status == 0) patchbay_reply_text(out, "%s job: %s", which, response.body);
    else patchbay_reply_text(out, "%s job: %d %s", which, response.status, response.body);
    return true;
  }
  patchbay_plugin_types_media_t media;
  char *file = patchbay_event_file(event, &media);
  if (file[0] != 0) return from_customer(file, &media, out, error);
  char *choice = patchbay_event_choice(event), *text = patchbay_event_text(event);
  if (choice[0] != 0) {
    patchbay_reply_text(out, "chosen %s", choice);
    return true;
  }
  if (text == NULL) return true;
  if (strcmp(text, "attributes") == 0) {
    patchbay_reply_text(out, "%s %g %s %s %s", or_none(patchbay_attribute_text(session, "plan")),
                        patchbay_attribute_number(session, "visits", 0),
                        patchbay_attribute_boolean(session, "vip", false) ? "true" : "false",
                        or_none(patchbay_attribute_text(session, "born")),
                        or_none(patchbay_attribute_text(session, "city")));
    return true;
  }
  if (strcmp(text, "facts") == 0) {
    facts(out);
    return true;
  }
  if (strcmp(text, "list") == 0) {
    patchbay_reply_list(out, "Choose.", "Open", "a", "First", "b", "Second", NULL);
    return true;
  }
  if (strcmp(text, "file") == 0) {
    patchbay_reply_media(out, PATCHBAY_PLUGIN_TYPES_MEDIA_KIND_IMAGE, "https://files.example/a.png", "A picture");
    return true;
  }
  if (strcmp(text, "two files") == 0) return two_files("%PDF-1.4 one", out, error);
  if (strcmp(text, "a text file") == 0) return two_files("of no type", out, error);
  if (strcmp(text, "ask") == 0) {
    const char *body = "{\"question\":\"ask\"}";
    job = patchbay_start("POST", "https://ai.example/chat", body, 90, "authorization", "Bearer key", NULL);
    if (job == NULL) return patchbay_fail(error, "refused", "the request was refused", false);
    patchbay_typing(out);
    patchbay_set_state(out, job);
    return true;
  }
  if (strcmp(text, "set") == 0) {
    set(out);
  } else if (strcmp(text, "remove") == 0) {
    patchbay_remove_attribute(out, "plan");
  } else if (strcmp(text, "tag") == 0) {
    patchbay_tag(out, "vip");
    patchbay_start_timer(out, "reminder", 60);
  } else if (strcmp(text, "untag") == 0) {
    patchbay_remove_tag(out, "vip");
    patchbay_cancel_timer(out, "reminder");
  } else if (strcmp(text, "later") == 0) {
    patchbay_schedule_template(out, "step", 86400, "7", "order_ready", "Zo", "1001", NULL);
  } else if (strcmp(text, "not later") == 0) {
    patchbay_cancel_template(out, "step");
  } else if (strcmp(text, "signs") == 0) {
    char *id = patchbay_text(event->kind.val.message.id);
    patchbay_typing(out);
    patchbay_mark_read(out);
    patchbay_react(out, id, "😀");
    patchbay_react(out, id, NULL);
    patchbay_react(out, id, "👍");
  } else {
    return true;
  }
  patchbay_reply_text(out, "done");
  return true;
}
