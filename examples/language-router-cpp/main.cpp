// Sends a customer to the team of a language: by a tag such as `language-fr`, otherwise by the greeting.
#include "patchbay.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace {

struct Language {
  std::string_view tag;
  std::string_view team;
  std::array<std::string_view, 3> greetings;
};

constexpr std::array<Language, 3> languages{{
    {"language-fr", "Français", {"bonjour", "salut", "bonsoir"}},
    {"language-de", "Deutsch", {"hallo", "moin", "servus"}},
    {"language-zu", "isiZulu", {"sawubona", "sanibonani", "unjani"}},
}};

// The first word in lower case, without a mark such as `!` after it.
std::string first_word(std::string_view words) {
  std::string word;
  for (unsigned char letter : words) {
    if (!std::isalpha(letter)) break;
    word += static_cast<char>(std::tolower(letter));
  }
  return word;
}

patchbay::Decision route(const patchbay::Inbound &inbound) {
  for (const auto &language : languages)
    for (const auto &tag : patchbay::tags(inbound))
      if (patchbay::text(tag) == language.tag) return patchbay::to_team(language.team, "the contact has a language tag");
  const std::string greeting = first_word(patchbay::words(inbound).value_or(""));
  for (const auto &language : languages)
    if (std::ranges::find(language.greetings, greeting) != language.greetings.end())
      return patchbay::to_team(language.team, "the greeting is in this language");
  return patchbay::to_default_bot("the language is not known");
}

}  // namespace

extern "C" bool exports_patchbay_plugin_routing_route(patchbay::Inbound *inbound, patchbay::Decision *out,
                                                      exports_patchbay_plugin_routing_error_t *) {
  *out = route(*inbound);
  return true;
}
