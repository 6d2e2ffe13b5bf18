#include "nomu/core/error.hpp"

#include <gtest/gtest.h>

namespace nomu {
namespace {

TEST(Error, SaysWhereAndWhat) {
  const DataError error("data/table_io", "t.csv, row 3, column 'x': '[7] ' is not a number");
  EXPECT_STREQ(error.what(), "[data/table_io] t.csv, row 3, column 'x': '[7] ' is not a number");
  EXPECT_EQ(error.where(), "data/table_io");
  EXPECT_EQ(error.message(), "t.csv, row 3, column 'x': '[7] ' is not a number");
}

}  // namespace
}  // namespace nomu
