#pragma once
// Whether bytes are UTF-8 text, for names that go into files which must be.

#include <cstddef>
#include <string_view>

namespace nomu {

/// Well-formed UTF-8: no stray or missing continuation bytes, no overlong forms, no surrogates, nothing past U+10FFFF.
[[nodiscard]] inline bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    std::size_t more = 0;
    if (lead >= 0xC2 && lead <= 0xDF) more = 1;
    if (lead >= 0xE0 && lead <= 0xEF) more = 2;
    if (lead >= 0xF0 && lead <= 0xF4) more = 3;
    if ((more == 0 && lead >= 0x80) || i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) return false;
    }
    if (lead == 0xE0 && byte(i + 1) < 0xA0) return false;
    if (lead == 0xED && byte(i + 1) > 0x9F) return false;
    if (lead == 0xF0 && byte(i + 1) < 0x90) return false;
    if (lead == 0xF4 && byte(i + 1) > 0x8F) return false;
    i += more + 1;
  }
  return true;
}

}  // namespace nomu
