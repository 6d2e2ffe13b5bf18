#include "core/crc64.hpp"

#include <gtest/gtest.h>

#include <string>

#include "nomu/core/version.hpp"

namespace nomu {
namespace {

TEST(Crc64, HasItsPublishedCheckValue) {
  EXPECT_EQ(crc64("123456789"), 0x995DC9BBDF1939FAULL);
  EXPECT_EQ(crc64(""), 0U);
}

TEST(Crc64, SeesEveryFlippedBitAtEveryLength) {
  for (std::size_t length = 1; length < 20; ++length) {
    std::string bytes(length, 'x');
    const std::uint64_t before = crc64(bytes);
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_NE(crc64(bytes), before);
      bytes[bit / 8] = 'x';
    }
  }
}

TEST(Version, IsThreeNumbers) { EXPECT_EQ(std::count(version().begin(), version().end(), '.'), 2); }

}  // namespace
}  // namespace nomu
