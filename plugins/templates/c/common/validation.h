/* Judges configurations beyond their schema. It needs `validates = true` in plugin.toml. */
#ifndef PATCHBAY_VALIDATION_H
#define PATCHBAY_VALIDATION_H

#include "patchbay.h"

typedef exports_patchbay_plugin_validation_finding_t patchbay_finding;
typedef exports_patchbay_plugin_validation_list_finding_t patchbay_findings;

/* Makes `void check(const char *config, patchbay_findings *out)` the judge of configurations: write
 * `PATCHBAY_CONFIG_CHECK(check)` below the function. It gets the configuration of an activation as JSON. If it adds
 * findings, the activation is refused. */
#define PATCHBAY_CONFIG_CHECK(check)                                                                       \
  void exports_patchbay_plugin_validation_validate(plugin_string_t *config, patchbay_findings *out) {      \
    *out = (patchbay_findings){0};                                                                         \
    check(patchbay_text(*config), out);                                                                    \
  }

/* Adds a fault: its place, such as `topics/0/title` ("" for the whole configuration), and one sentence. */
static inline void patchbay_find(patchbay_findings *out, const char *field, const char *message) {
  out->ptr = realloc(out->ptr, (out->len + 1) * sizeof *out->ptr);
  out->ptr[out->len++] = (patchbay_finding){.field = patchbay_string(field), .message = patchbay_string(message)};
}

#endif
