#include "nomu/core/printable.hpp"

#include <gtest/gtest.h>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

TEST(Printable, ControlCharactersAreShown) {
  EXPECT_EQ(printable("caf\u00e9\n\ttable"), "caf\u00e9\n\ttable");
  EXPECT_EQ(printable("\x1b[31mred\x07\x7f\r"), "\\x1b[31mred\\x07\\x7f\\x0d");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m \xC2\xA0"),
            "\\x9b31m \xC2\xA0");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, LongTextsLoseTheirMiddle) {
  EXPECT_EQ(printable("short", 5), "short");
  const std::string shown = printable("begin" + std::string(10000, '-') + "end", 100);
  EXPECT_LT(shown.size(), 150U);
  EXPECT_TRUE(shown.starts_with("begin---"));
  EXPECT_TRUE(shown.ends_with("---end"));
  std::string umlauts;
  for (int i = 0; i < 1000; ++i) umlauts += "\u00fc";
  for (std::size_t most = 100; most < 110; ++most) {
    EXPECT_EQ(printable(umlauts, most).find("\xBC\xBC"), std::string::npos);  // no character is cut
    EXPECT_TRUE(printable(umlauts, most).ends_with("\u00fc"));
  }
}

TEST(Printable, ErrorsAreShort) {
  const DataError error("data/table_io", "'" + std::string(1U << 22U, 'x') + "\x1b[0m' is not a number");
  EXPECT_LT(std::string_view(error.what()).size(), 5000U);
  EXPECT_TRUE(std::string_view(error.what()).starts_with("[data/table_io] 'xxx"));
  EXPECT_TRUE(std::string_view(error.what()).ends_with("\\x1b[0m' is not a number"));
}

}  // namespace
}  // namespace nomu
