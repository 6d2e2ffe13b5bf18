#include "nomu/core/printable.hpp"

#include <fmt/format.h>

namespace nomu {
namespace {

/// The first place from `at` on that is not inside a character of several bytes.
std::size_t between_characters(std::string_view text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
      shown += fmt::format("\\x{:02x}", c);
    } else if (c == 0xC2 && next >= 0x80 && next < 0xA0) {  // the second set of control characters, in UTF-8
      shown += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

std::string printable(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  const std::size_t first = between_characters(text, most / 4 * 3);
  const std::size_t last = between_characters(text, text.size() - most / 4);
  return fmt::format("{} [... {} bytes ...] {}", printable(text.substr(0, first)), last - first,
                     printable(text.substr(last)));
}

}  // namespace nomu
