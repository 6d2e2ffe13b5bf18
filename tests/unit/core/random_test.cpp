#include "nomu/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/philox.hpp"

namespace nomu {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words philox(const Words& counter, const std::array<std::uint32_t, 2>& key) {
  const PhiloxBlock b = philox_block(counter[0], counter[1], counter[2], counter[3], key[0], key[1]);
  return {b.word[0], b.word[1], b.word[2], b.word[3]};
}

// The known-answer vectors published with Philox 4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, StreamsOfDifferentPurposePlaceStepOrSeedShareNothing) {
  const PhiloxStream base{.seed = 5, .purpose = Purpose::init, .place = 1, .step = 2};
  PhiloxStream other = base;
  other.purpose = Purpose::dropout;
  EXPECT_NE(base.word(0), other.word(0));
  other = base;
  other.place = 2;
  EXPECT_NE(base.word(0), other.word(0));
  other = base;
  other.step = 3;
  EXPECT_NE(base.word(0), other.word(0));
  other = base;
  other.seed = 6;
  EXPECT_NE(base.word(0), other.word(0));
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(1);
  constexpr int count = 200000;
  double mean = 0.0;
  double square = 0.0;
  double normal_square = 0.0;
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    mean += u / count;
    square += u * u / count;
    const double z = random.normal();
    normal_square += z * z / count;
  }
  EXPECT_NEAR(mean, 0.5, 0.005);
  EXPECT_NEAR(square, 1.0 / 3.0, 0.005);
  EXPECT_NEAR(normal_square, 1.0, 0.02);
}

TEST(Random, PermutationHoldsEveryIndexOnceAndDependsOnTheSeed) {
  std::vector<std::size_t> order = Random(3).permutation(100);
  EXPECT_NE(order, Random(4).permutation(100));
  EXPECT_EQ(order, Random(3).permutation(100));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(Random(3).permutation(0).empty());
}

TEST(Random, BelowIsEvenlySpread) {
  Random random(9);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(Random, DerivedSeedsDiffer) {
  EXPECT_NE(derived_seed(1, 0), derived_seed(1, 1));
  EXPECT_NE(derived_seed(1, 0), derived_seed(2, 0));
  EXPECT_EQ(derived_seed(1, 5), derived_seed(1, 5));
}

}  // namespace
}  // namespace nomu
