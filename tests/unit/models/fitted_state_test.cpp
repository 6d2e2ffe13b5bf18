#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

TEST(FittedState, ABlockHasItsWholeShapeOrIsRefused) {
  const FittedState state{.inputs = 1, .blocks = {{.name = "weights", .values = Tensor<float>(2, 1, 3)}}};
  EXPECT_EQ(state.block("weights", {2, 1, 3}).size(), 6U);
  EXPECT_TRUE(state.has("weights"));
  EXPECT_FALSE(state.has("kept"));
  // As many numbers, but not where they belong.
  for (const BlockShape& wrong : {BlockShape{1, 1, 6}, BlockShape{2, 3, 1}, BlockShape{6, 1, 1}, BlockShape{1, 2, 3}}) {
    EXPECT_THAT(message_of<DataError>([&] { (void)state.block("weights", wrong); }),
                HasSubstr("block 'weights' has shape [2][1][3], expected"));
  }
  EXPECT_THAT(message_of<DataError>([&] {
                (void)state.block("kept", {1, 1, 1});
              }),
              HasSubstr("there is no block 'kept'"));
}

}  // namespace
}  // namespace nomu
