/* The parts that every plugin needs: texts, log lines, the configuration, the key-value store, outgoing HTTP.
 *
 * Each call runs in a fresh instance, which is discarded afterwards. So nothing here is freed. */
#ifndef PATCHBAY_H
#define PATCHBAY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plugin.h"

typedef patchbay_plugin_types_error_t patchbay_error;

/* ---- Texts. Those of the interface have a length and no NUL at the end. ---- */

/* A copy that ends with NUL. */
static inline char *patchbay_text(plugin_string_t string) {
  char *copy = malloc(string.len + 1);
  memcpy(copy, string.ptr, string.len);
  copy[string.len] = 0;
  return copy;
}

/* As patchbay_text, for an optional text. NULL if it is absent. */
static inline char *patchbay_optional(plugin_option_string_t option) {
  return option.is_some ? patchbay_text(option.val) : NULL;
}

/* A list of texts for the plugin. NULL ends it. */
static inline char **patchbay_texts(plugin_list_string_t list) {
  char **texts = calloc(list.len + 1, sizeof *texts);
  for (size_t i = 0; i < list.len; i++) texts[i] = patchbay_text(list.ptr[i]);
  return texts;
}

/* A text for the interface. */
static inline plugin_string_t patchbay_string(const char *text) {
  plugin_string_t string;
  plugin_string_dup(&string, text);
  return string;
}

/* An optional text for the interface. Absent if NULL. */
static inline plugin_option_string_t patchbay_some(const char *text) {
  plugin_option_string_t option = {.is_some = text != NULL};
  if (text != NULL) option.val = patchbay_string(text);
  return option;
}

static inline char *patchbay_vformat(const char *format, va_list values) {
  va_list again;
  va_copy(again, values);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = malloc((size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, values);
  return text;
}

/* Writes as printf does, into a new text. */
static inline char *patchbay_format(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *text = patchbay_vformat(format, values);
  va_end(values);
  return text;
}

/* ---- Errors. The call has no effect. ---- */

/* Reports why the plugin cannot answer: `return patchbay_fail(...)`. `code` is a short word for programs. `retry` is
 * true if the same call may succeed a little later. */
static inline bool patchbay_fail(patchbay_error *error, const char *code, const char *message, bool retry) {
  *error = (patchbay_error){.code = patchbay_string(code), .message = patchbay_string(message), .retry = retry};
  return false;
}

/* ---- Log lines for the author, stored with the trace of the call. Do not write personal data. ---- */

static inline void patchbay_log(patchbay_plugin_log_level_t level, const char *format, ...) {
  va_list values;
  va_start(values, format);
  plugin_string_t line = patchbay_string(patchbay_vformat(format, values));
  va_end(values);
  patchbay_plugin_log_write(level, &line);
}

#define patchbay_debug(...) patchbay_log(PATCHBAY_PLUGIN_LOG_LEVEL_DEBUG, __VA_ARGS__)
#define patchbay_info(...) patchbay_log(PATCHBAY_PLUGIN_LOG_LEVEL_INFO, __VA_ARGS__)
#define patchbay_warn(...) patchbay_log(PATCHBAY_PLUGIN_LOG_LEVEL_WARN, __VA_ARGS__)

/* ---- The configuration of the activation, as JSON. See patchbay_json_text in json.h. ---- */

static inline char *patchbay_config(void) {
  plugin_string_t config;
  patchbay_plugin_config_get(&config);
  return patchbay_text(config);
}

/* ---- A small store that outlives the call. Writes take effect together with the answer, or not at all. ---- */

/* Values of this participant, or shared by all participants of the client. */
#define PATCHBAY_PARTICIPANT PATCHBAY_PLUGIN_KV_SCOPE_PARTICIPANT
#define PATCHBAY_CLIENT PATCHBAY_PLUGIN_KV_SCOPE_CLIENT

/* The value of a key. NULL if it has none or cannot be read. */
static inline char *patchbay_get(patchbay_plugin_kv_scope_t scope, const char *key) {
  plugin_string_t name = patchbay_string(key);
  plugin_option_list_u8_t value;
  patchbay_plugin_kv_error_t fault;
  if (!patchbay_plugin_kv_get(scope, &name, &value, &fault) || !value.is_some) return NULL;
  return patchbay_text((plugin_string_t){.ptr = value.val.ptr, .len = value.val.len});
}

/* Sets the value of a key. False if the host refuses it. */
static inline bool patchbay_set(patchbay_plugin_kv_scope_t scope, const char *key, const char *value) {
  plugin_string_t name = patchbay_string(key), text = patchbay_string(value);
  plugin_list_u8_t bytes = {.ptr = text.ptr, .len = text.len};
  patchbay_plugin_kv_error_t fault;
  return patchbay_plugin_kv_set(scope, &name, &bytes, &fault);
}

/* Sets a value that expires after this number of seconds. False if the host refuses it. */
static inline bool patchbay_set_expiring(patchbay_plugin_kv_scope_t scope, const char *key, const char *value,
                                         uint32_t after_seconds) {
  plugin_string_t name = patchbay_string(key), text = patchbay_string(value);
  plugin_list_u8_t bytes = {.ptr = text.ptr, .len = text.len};
  patchbay_plugin_kv_error_t fault;
  return patchbay_plugin_kv_set_expiring(scope, &name, &bytes, after_seconds, &fault);
}

/* Up to a hundred keys that begin with `prefix` and come after `after` (NULL: the first ones). NULL ends the list. */
static inline char **patchbay_keys(patchbay_plugin_kv_scope_t scope, const char *prefix, const char *after) {
  plugin_string_t begin = patchbay_string(prefix), last = patchbay_string(after == NULL ? "" : after);
  plugin_list_string_t found = {0};
  patchbay_plugin_kv_error_t fault;
  if (!patchbay_plugin_kv_list_keys(scope, &begin, after == NULL ? NULL : &last, 100, &found, &fault)) found.len = 0;
  return patchbay_texts(found);
}

/* Removes a key. It is no error if the key does not exist. */
static inline bool patchbay_delete(patchbay_plugin_kv_scope_t scope, const char *key) {
  plugin_string_t name = patchbay_string(key);
  patchbay_plugin_kv_error_t fault;
  return patchbay_plugin_kv_delete(scope, &name, &fault);
}

/* ---- Outgoing HTTP, to the hosts that the activation allows. ---- */

typedef struct {
  /* HTTP status. 0 if there is no response; then `body` has the reason. */
  int status;
  /* Ends with NUL. */
  char *body;
  size_t length;
} patchbay_response;

static inline patchbay_response patchbay_received(patchbay_plugin_http_response_t *response) {
  plugin_string_t text = {.ptr = response->body.ptr, .len = response->body.len};
  return (patchbay_response){.status = response->status, .body = patchbay_text(text), .length = text.len};
}

static inline patchbay_response patchbay_unanswered(patchbay_plugin_http_error_t *fault) {
  char *reason = "no response in time";
  switch (fault->tag) {
    case PATCHBAY_PLUGIN_HTTP_ERROR_NOT_GRANTED: reason = patchbay_text(fault->val.not_granted); break;
    case PATCHBAY_PLUGIN_HTTP_ERROR_INVALID_REQUEST: reason = patchbay_text(fault->val.invalid_request); break;
    case PATCHBAY_PLUGIN_HTTP_ERROR_TOO_LARGE: reason = "the response is too large"; break;
    case PATCHBAY_PLUGIN_HTTP_ERROR_FAILED: reason = patchbay_text(fault->val.failed); break;
  }
  return (patchbay_response){.status = 0, .body = reason, .length = strlen(reason)};
}

static inline void patchbay_header(patchbay_plugin_http_request_t *request, const char *name, const char *value) {
  plugin_list_tuple2_string_string_t *headers = &request->headers;
  headers->ptr = realloc(headers->ptr, (headers->len + 1) * sizeof *headers->ptr);
  headers->ptr[headers->len++] = (plugin_tuple2_string_string_t){patchbay_string(name), patchbay_string(value)};
}

static inline patchbay_plugin_http_request_t patchbay_request(const char *method, const char *url, const char *body) {
  patchbay_plugin_http_request_t request = {.method = patchbay_string(method), .url = patchbay_string(url)};
  if (body == NULL) return request;
  plugin_string_t text = patchbay_string(body);
  request.body = (plugin_option_list_u8_t){.is_some = true, .val = {.ptr = text.ptr, .len = text.len}};
  patchbay_header(&request, "content-type", "application/json");
  return request;
}

/* Sends a request and waits for the response. `body` is a text or NULL. With a body, the content type is JSON. */
static inline patchbay_response patchbay_send(const char *method, const char *url, const char *body) {
  patchbay_plugin_http_request_t request = patchbay_request(method, url, body);
  patchbay_plugin_http_response_t response;
  patchbay_plugin_http_error_t fault;
  if (patchbay_plugin_http_send(&request, &response, &fault)) return patchbay_received(&response);
  return patchbay_unanswered(&fault);
}

/* Sends a GET request and waits for the response. */
static inline patchbay_response patchbay_fetch(const char *url) { return patchbay_send("GET", url, NULL); }

/* Sends a request after this call, with a deadline of 1 to 120 seconds. `body` is as in patchbay_send. Pairs of the
 * name and the value of a header follow, then NULL. Returns the id of the job, for patchbay_event_finished. NULL if the
 * host refuses the request; then the log has the reason. */
static inline char *patchbay_start(const char *method, const char *url, const char *body, uint32_t deadline_seconds,
                                   ...) {
  patchbay_plugin_http_request_t request = patchbay_request(method, url, body);
  request.timeout_ms = (plugin_option_u32_t){.is_some = true, .val = deadline_seconds * 1000};
  va_list headers;
  va_start(headers, deadline_seconds);
  for (const char *name; (name = va_arg(headers, const char *)) != NULL;)
    patchbay_header(&request, name, va_arg(headers, const char *));
  va_end(headers);
  plugin_string_t job;
  patchbay_plugin_http_error_t fault;
  if (patchbay_plugin_http_start(&request, &job, &fault)) return patchbay_text(job);
  patchbay_warn("the request was not started: %s", patchbay_unanswered(&fault).body);
  return NULL;
}

#endif
