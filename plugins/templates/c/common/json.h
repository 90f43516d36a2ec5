/* Reads single values out of a JSON text, and writes texts as JSON. */
#ifndef PATCHBAY_JSON_H
#define PATCHBAY_JSON_H

#include <stdlib.h>
#include <string.h>

static inline const char *patchbay_json_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* The end of the string that begins here. */
static inline const char *patchbay_json_string_end(const char *at) {
  for (at++; *at != 0 && *at != '"'; at++)
    if (*at == '\\' && at[1] != 0) at++;
  return *at == '"' ? at + 1 : at;
}

/* The end of the value that begins here. */
static inline const char *patchbay_json_end(const char *at) {
  if (*at == '"') return patchbay_json_string_end(at);
  if (*at != '{' && *at != '[') return at + strcspn(at, ",]} \t\r\n");
  for (int depth = 0; *at != 0;) {
    if (*at == '"') {
      at = patchbay_json_string_end(at);
      continue;
    }
    if (*at == '{' || *at == '[') depth++;
    if ((*at == '}' || *at == ']') && --depth == 0) return at + 1;
    at++;
  }
  return at;
}

static inline char *patchbay_json_utf8(char *to, unsigned long code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
    *to++ = (char)(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  } else {
    *to++ = (char)(0xf0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 0x3f));
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  }
  return to;
}

/* The four digits after `\u`. 0 if there are fewer. */
static inline unsigned long patchbay_json_code(const char *digits) {
  char four[5] = {0};
  strncpy(four, digits, 4);
  return strspn(four, "0123456789abcdefABCDEF") == 4 ? strtoul(four, NULL, 16) : 0;
}

/* The value that begins here as a text: strings without their escapes, other values unchanged. */
static inline char *patchbay_json_value(const char *at) {
  const char *end = patchbay_json_end(at);
  char *text = malloc((size_t)(end - at) + 1), *to = text;
  if (*at != '"') {
    memcpy(text, at, (size_t)(end - at));
    text[end - at] = 0;
    return text;
  }
  for (at++; at < end - 1; at++) {
    if (*at != '\\') {
      *to++ = *at;
      continue;
    }
    switch (*++at) {
      case 'n': *to++ = '\n'; break;
      case 't': *to++ = '\t'; break;
      case 'r': *to++ = '\r'; break;
      case 'b': *to++ = '\b'; break;
      case 'f': *to++ = '\f'; break;
      case 'u': {
        unsigned long code = patchbay_json_code(at + 1);
        if (code != 0) at += 4;
        if (code >= 0xd800 && code < 0xdc00 && at[1] == '\\' && at[2] == 'u') {
          code = 0x10000 + ((code - 0xd800) << 10) + (patchbay_json_code(at + 3) - 0xdc00);
          at += 6;
        }
        to = patchbay_json_utf8(to, code != 0 ? code : 0xfffd);
        break;
      }
      default: *to++ = *at;
    }
  }
  *to = 0;
  return text;
}

/* A field of a JSON object as a text. NULL if the object has no such field, or if it is `null`. If the field is an
 * object, it is returned as JSON. */
static inline char *patchbay_json_text(const char *object, const char *field) {
  const char *at = patchbay_json_space(object);
  if (*at != '{') return NULL;
  for (at = patchbay_json_space(at + 1); *at == '"'; at = patchbay_json_space(at + 1)) {
    char *name = patchbay_json_value(at);
    at = patchbay_json_space(patchbay_json_end(at));
    if (*at != ':') return NULL;
    at = patchbay_json_space(at + 1);
    if (strcmp(name, field) == 0) return strncmp(at, "null", 4) == 0 ? NULL : patchbay_json_value(at);
    at = patchbay_json_space(patchbay_json_end(at));
    if (*at != ',') return NULL;
  }
  return NULL;
}

/* A text as JSON, with its quotes; `null` for NULL. */
static inline char *patchbay_json_quote(const char *text) {
  if (text == NULL) return "null";
  char *json = malloc(strlen(text) * 6 + 3), *to = json;
  *to++ = '"';
  for (; *text != 0; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') {
      *to++ = '\\';
      *to++ = (char)byte;
    } else if (byte < 0x20) {
      static const char digits[] = "0123456789abcdef";
      memcpy(to, "\\u00", 4);
      to[4] = digits[byte >> 4];
      to[5] = digits[byte & 15];
      to += 6;
    } else {
      *to++ = (char)byte;
    }
  }
  *to++ = '"';
  *to = 0;
  return json;
}

#endif
