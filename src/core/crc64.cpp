#include "core/crc64.hpp"

#include <array>
#include <cstddef>

namespace nomu {
namespace {

constexpr std::size_t slices = 8;
using Tables = std::array<std::array<std::uint64_t, 256>, slices>;

/// tables[k][b]: the remainder of byte b followed by k zero bytes.
constexpr Tables make_tables() {
  constexpr std::uint64_t polynomial = 0xC96C5795D7870F42ULL;
  Tables tables{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint64_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0U ? polynomial : 0U);
    tables[0][byte] = remainder;
  }
  for (std::size_t k = 1; k < slices; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint64_t crc64(std::string_view bytes) {
  std::uint64_t crc = ~std::uint64_t{0};
  // Eight bytes per round: models reach hundreds of megabytes.
  while (bytes.size() >= slices) {
    std::uint64_t next = 0;
    for (std::size_t k = 0; k < slices; ++k) {
      const std::uint64_t byte = ((crc >> (8U * k)) ^ static_cast<unsigned char>(bytes[k])) & 0xFFU;
      next ^= tables[slices - 1 - k][byte];
    }
    crc = next;
    bytes.remove_prefix(slices);
  }
  for (const char byte : bytes) crc = (crc >> 8U) ^ tables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~crc;
}

}  // namespace nomu
