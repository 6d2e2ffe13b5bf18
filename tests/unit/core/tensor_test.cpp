#include "nomu/core/tensor.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

TEST(Tensor, IndexesMembersRowsAndColumns) {
  Tensor<float> t(2, 3, 4);
  for (std::size_t i = 0; i < t.size(); ++i) t.flat()[i] = static_cast<float>(i);
  EXPECT_EQ(t(1, 2, 3), 23.0F);
  EXPECT_EQ(t.row(1, 0)[1], 13.0F);
  EXPECT_EQ(t.member(1).size(), 12U);
  EXPECT_EQ(t.member(1)[0], 12.0F);
}

TEST(Tensor, IsZeroAtFirstEvenInMemoryUsedBefore) {
  const auto dirty = [] { return Tensor<float>(1, 50, 10, 3.0F); };
  for (int k = 0; k < 3; ++k) {
    (void)dirty();
    EXPECT_EQ(Tensor<float>(1, 50, 10), Tensor<float>(1, 50, 10, 0.0F));
  }
}

TEST(Tensor, ComparesShapeAndValues) {
  EXPECT_EQ(Tensor<int>(1, 2, 3, 7), Tensor<int>(1, 2, 3, 7));
  EXPECT_NE(Tensor<int>(1, 2, 3, 7), Tensor<int>(1, 3, 2, 7));
  EXPECT_TRUE(Tensor<int>().empty());
  EXPECT_TRUE(Tensor<int>(3, 0, 2).empty());
}

TEST(Tensor, RefusesSizesBeyondAnyMemory) {
  const std::size_t huge = std::size_t{1} << 40U;
  EXPECT_NE(message_of<ConfigError>([&] { const Tensor<float> t(huge, huge, 1); }).find("does not fit into memory"),
            std::string::npos);
}

}  // namespace
}  // namespace nomu
