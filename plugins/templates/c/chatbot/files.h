/* Files of a conversation, for chatbots: those that the customer sent, and those that the bot sends. */
#ifndef PATCHBAY_FILES_H
#define PATCHBAY_FILES_H

#include "chatbot.h"

/* The most that the host returns at once. */
#define PATCHBAY_PART_BYTES (256 << 10)

/* Bytes of a file. A NUL follows them, so that a text can be used as it is. */
typedef struct {
  char *bytes;
  size_t length;
} patchbay_file;

/* Reads the file of a message part by part. A part is valid until the next one is read. A call reads at most 8 MiB.
 *
 *   patchbay_file_reader reader = {.message_id = id};
 *   while (patchbay_next_part(&reader, error)) use(reader.part.bytes, reader.part.length);
 *   if (reader.has_failed) return false; */
typedef struct {
  const char *message_id;
  /* Where the next part begins. */
  uint64_t offset;
  patchbay_file part;
  bool has_failed;
} patchbay_file_reader;

/* The id of the message for patchbay_read_file. `media` gets the facts of its file. "" if the event is no message with a
 * file. */
static inline char *patchbay_event_file(patchbay_event *event, patchbay_plugin_types_media_t *media) {
  if (event->kind.tag != EXPORTS_PATCHBAY_PLUGIN_BOT_EVENT_KIND_MESSAGE) return "";
  patchbay_plugin_types_content_t *content = &event->kind.val.message.content;
  if (content->tag != PATCHBAY_PLUGIN_TYPES_CONTENT_MEDIA) return "";
  *media = content->val.media;
  return patchbay_text(event->kind.val.message.id);
}

static inline bool patchbay_file_fault(patchbay_plugin_files_error_t *fault, patchbay_error *error) {
  switch (fault->tag) {
    case PATCHBAY_PLUGIN_FILES_ERROR_NOT_FOUND:
      return patchbay_fail(error, "file-not-found", "no message of the customer in this conversation has this file",
                           false);
    case PATCHBAY_PLUGIN_FILES_ERROR_UNAVAILABLE:
      return patchbay_fail(error, "file-unavailable", "the file cannot be read yet", true);
    case PATCHBAY_PLUGIN_FILES_ERROR_TOO_MUCH: {
      char *words = patchbay_format("a call reads at most %lu bytes of files", (unsigned long)fault->val.too_much);
      return patchbay_fail(error, "file-too-much", words, false);
    }
    case PATCHBAY_PLUGIN_FILES_ERROR_REFUSED:
      return patchbay_fail(error, "file-refused", patchbay_text(fault->val.refused), false);
    default: return patchbay_fail(error, "file", patchbay_text(fault->val.other), false);
  }
}

/* The bytes of the file of a message from `offset` on: at most `most`, and never more than 256 KiB. An empty part is the
 * end of the file. False with an error if the file cannot be read. */
static inline bool patchbay_read_part(const char *message_id, uint64_t offset, uint32_t most, patchbay_file *part,
                                      patchbay_error *error) {
  plugin_string_t id = patchbay_string(message_id);
  plugin_list_u8_t bytes;
  patchbay_plugin_files_error_t fault;
  if (!patchbay_plugin_files_read(&id, offset, most, &bytes, &fault)) return patchbay_file_fault(&fault, error);
  *part = (patchbay_file){.bytes = patchbay_text((plugin_string_t){.ptr = bytes.ptr, .len = bytes.len}),
                          .length = bytes.len};
  plugin_list_u8_free(&bytes); /* Otherwise every part would stay in memory until the call ends. */
  return true;
}

/* Reads the next part into `reader->part`. False at the end of the file, and with an error if `reader->has_failed`. */
static inline bool patchbay_next_part(patchbay_file_reader *reader, patchbay_error *error) {
  free(reader->part.bytes);
  reader->part = (patchbay_file){0};
  reader->has_failed =
      !patchbay_read_part(reader->message_id, reader->offset, PATCHBAY_PART_BYTES, &reader->part, error);
  reader->offset += reader->part.length;
  return reader->part.length > 0;
}

/* The whole file of a message. False with an error if it cannot be read; if it has more than `most` bytes, the code of
 * the error is `file-too-large`. */
static inline bool patchbay_read_file(const char *message_id, size_t most, patchbay_file *file, patchbay_error *error) {
  patchbay_file_reader reader = {.message_id = message_id};
  *file = (patchbay_file){.bytes = calloc(1, 1)};
  while (patchbay_next_part(&reader, error)) {
    if (reader.part.length > most - file->length) {
      char *words = patchbay_format("the file has more than %lu bytes", (unsigned long)most);
      return patchbay_fail(error, "file-too-large", words, false);
    }
    file->bytes = realloc(file->bytes, file->length + reader.part.length + 1);
    memcpy(file->bytes + file->length, reader.part.bytes, reader.part.length + 1); /* With the NUL. */
    file->length += reader.part.length;
  }
  return !reader.has_failed;
}

/* Takes a file for this answer, and returns the `url` for patchbay_reply_media. `name` may be "". The file has at most
 * 2 MiB and a type that agents may send; a call writes at most 4. A file that no reply names is dropped. NULL with an
 * error if the host refuses the file. */
static inline char *patchbay_write_file(const char *name, const void *bytes, size_t length, patchbay_error *error) {
  plugin_string_t file_name = patchbay_string(name), url;
  plugin_list_u8_t content = {.ptr = (uint8_t *)bytes, .len = length};
  patchbay_plugin_files_error_t fault;
  if (patchbay_plugin_files_write(&file_name, &content, &url, &fault)) return patchbay_text(url);
  patchbay_file_fault(&fault, error);
  return NULL;
}

/* Writes a file as patchbay_write_file does, and sends it: `return patchbay_reply_file(...)`. The kinds are those of
 * patchbay_reply_media. `caption` may be NULL. False with an error if the host refuses the file. */
static inline bool patchbay_reply_file(patchbay_actions *out, uint8_t kind, const char *name, const void *bytes,
                                       size_t length, const char *caption, patchbay_error *error) {
  char *url = patchbay_write_file(name, bytes, length, error);
  if (url == NULL) return false;
  patchbay_reply_media(out, kind, url, caption);
  return true;
}

#endif
