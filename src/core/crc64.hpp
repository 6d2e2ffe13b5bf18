#pragma once
// A checksum for files that are kept for years: it detects every single-bit error and every burst of up to 64 bits. It
// does not protect against deliberate changes.

#include <cstdint>
#include <string_view>

namespace nomu {

/// CRC-64 with the polynomial of ECMA-182, reflected, all ones in and out (the variant of XZ).
[[nodiscard]] std::uint64_t crc64(std::string_view bytes);

}  // namespace nomu
