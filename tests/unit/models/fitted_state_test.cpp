#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

FittedState with_rows(float rows) {
  return {.inputs = 1, .blocks = {{.name = "rows", .values = Tensor<float>(1, 1, 1, rows)}}};
}

TEST(FittedState, CountsAreWholeNumbers) {
  EXPECT_EQ(with_rows(1.0F).count("rows"), 1U);
  EXPECT_EQ(with_rows(50000.0F).count("rows"), 50000U);
  for (const float wrong : {0.0F, -3.0F, 2.5F, 1.7e28F, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    EXPECT_THAT(message_of<DataError>([&] { (void)with_rows(wrong).count("rows"); }),
                HasSubstr("[models/fitted] block 'rows' holds"))
        << wrong;
  }
}

TEST(FittedState, ABlockIsMissingOrHasTheWrongSize) {
  EXPECT_THAT(message_of<DataError>([] { (void)with_rows(1.0F).find("kept"); }), HasSubstr("there is no block 'kept'"));
  EXPECT_THAT(message_of<DataError>([] { (void)with_rows(1.0F).find("rows", 3); }),
              HasSubstr("block 'rows' has 1 numbers where 3 belong"));
}

}  // namespace
}  // namespace nomu
