// A layer for routers over the C bindings of the interface (`build/bindings/plugin.h`).
// Each call runs in a fresh instance, which is discarded afterwards. So nothing here is freed.
#pragma once

#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "build/bindings/plugin.h"

namespace patchbay {

using Inbound = exports_patchbay_plugin_routing_inbound_t;
using Decision = exports_patchbay_plugin_routing_decision_t;

inline std::string_view text(const plugin_string_t &value) {
  return {reinterpret_cast<const char *>(value.ptr), value.len};
}

// A copy that the host may read after the call.
inline plugin_string_t string(std::string_view value) {
  plugin_string_t copy{static_cast<uint8_t *>(std::malloc(value.size() + 1)), value.size()};
  std::memcpy(copy.ptr, value.data(), value.size());
  return copy;
}

// The text of the message. Absent for files, places and choices.
inline std::optional<std::string_view> words(const Inbound &inbound) {
  const auto &content = inbound.message.content;
  if (content.tag != PATCHBAY_PLUGIN_TYPES_CONTENT_TEXT) return std::nullopt;
  return text(content.val.text);
}

inline std::span<plugin_string_t> tags(const Inbound &inbound) { return {inbound.tags.ptr, inbound.tags.len}; }

// The conversation waits for a team.
inline Decision to_team(std::string_view name, std::string_view reason) {
  Decision decision{};
  decision.target.tag = EXPORTS_PATCHBAY_PLUGIN_ROUTING_TARGET_TEAM;
  decision.target.val.team = string(name);
  decision.reason = string(reason);
  return decision;
}

// The default chatbot of the client answers.
inline Decision to_default_bot(std::string_view reason) {
  Decision decision{};
  decision.target.tag = EXPORTS_PATCHBAY_PLUGIN_ROUTING_TARGET_BOT;
  decision.reason = string(reason);
  return decision;
}

}  // namespace patchbay
