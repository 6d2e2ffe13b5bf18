#pragma once
// Checks whether bytes are UTF-8, for names that go into files that must be UTF-8, repairs text that is not, and
// shortens it.

#include <cstddef>
#include <string>
#include <string_view>

namespace nomu {

/// Length in bytes of the character at the beginning of `text`; 0 if there is no valid one: stray or missing
/// continuation bytes, overlong forms, surrogates and values past U+10FFFF are invalid.
[[nodiscard]] inline std::size_t utf8_front(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  std::size_t more = 0;
  if (lead >= 0xC2 && lead <= 0xDF) more = 1;
  if (lead >= 0xE0 && lead <= 0xEF) more = 2;
  if (lead >= 0xF0 && lead <= 0xF4) more = 3;
  if ((more == 0 && lead >= 0x80) || more >= text.size()) return 0;
  for (std::size_t k = 1; k <= more; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return more + 1;
}

[[nodiscard]] inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = utf8_front(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

/// The text with every byte that belongs to no character replaced by U+FFFD.
[[nodiscard]] inline std::string made_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = utf8_front(text);
    result += size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

/// At most the first `most` bytes of the text, cut between characters.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return std::string(text.substr(0, most));
}

}  // namespace nomu
