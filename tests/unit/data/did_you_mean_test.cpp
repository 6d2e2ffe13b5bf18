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

TEST(DidYouMean, LongNamesAreCutOff) {
  const std::vector<std::string> long_names{std::string(1000, 'a'), "\x1b[31mred"};
  EXPECT_LT(quoted_list(long_names).size(), 300U);
  EXPECT_TRUE(quoted_list(long_names).ends_with("'\\x1b[31mred'"));
  EXPECT_LT(did_you_mean(std::string(1000, 'A'), long_names).size(), 300U);
}

}  // namespace
}  // namespace nomu
