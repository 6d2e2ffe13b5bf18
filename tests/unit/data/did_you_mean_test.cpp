#include "data/did_you_mean.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace nomu {
namespace {

const std::vector<std::string> names = {"Price", "size", "x1", "y"};

TEST(DidYouMean, SuggestsTheNearestName) {
  EXPECT_EQ(did_you_mean("prize", names), "; did you mean 'Price'?");
  EXPECT_EQ(did_you_mean("SIZE", names), "; did you mean 'size'?");
  EXPECT_EQ(did_you_mean("Y", names), "; did you mean 'y'?");
}

TEST(DidYouMean, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("temperature", names), "");
  EXPECT_EQ(did_you_mean("z", names), "");
  EXPECT_EQ(did_you_mean("price", {}), "");
}

TEST(DidYouMean, ListsAreCutOff) {
  EXPECT_EQ(quoted_list(names), "'Price', 'size', 'x1', 'y'");
  EXPECT_EQ(quoted_list(names, 2), "'Price', 'size' and 2 more");
  EXPECT_EQ(quoted_list({}), "");
}

}  // namespace
}  // namespace nomu
