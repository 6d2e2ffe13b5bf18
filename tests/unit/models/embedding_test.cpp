#include "models/inputs/embedding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Steps, LieBetweenAllValuesIfTheyAreFew) {
  const std::vector<Step> steps = steps_of({4, 1, 2, 2, 1, 4}, 3, 8);
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[0].source, 3U);
  EXPECT_EQ(steps[0].low, 1.0);
  EXPECT_EQ(steps[0].width, 1.0);
  EXPECT_EQ(steps[1].low, 2.0);
  EXPECT_EQ(steps[1].width, 2.0);
  EXPECT_THAT(steps_of({4, 1, 4, 1}, 0, 8), IsEmpty()) << "one step is the number itself";
  EXPECT_THAT(steps_of({4, 4, 4}, 0, 8), IsEmpty());
}

TEST(Steps, LieBetweenQuantilesIfThereAreManyValues) {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const std::vector<Step> steps = steps_of(values, 0, 4);
  ASSERT_THAT(steps, SizeIs(4));
  for (std::size_t e = 0; e < 4; ++e) {
    EXPECT_EQ(steps[e].low, 25.0 * static_cast<double>(e));
    EXPECT_EQ(steps[e].width, 25.0);
  }
  // Half of the values alike: quantiles coincide, and no step has a width of 0.
  for (std::size_t i = 0; i < 50; ++i) values[i] = 0.0;
  for (const Step& step : steps_of(values, 0, 4)) EXPECT_GT(step.width, 0.0);
}

TEST(Steps, TogetherSayWhatTheNumberSays) {
  Random random(1);
  std::vector<double> values(200);
  for (double& value : values) value = random.normal();
  const std::vector<Step> steps = steps_of(values, 0, 8);
  const std::vector<double> wide = embedded(values, 1, steps);
  const std::size_t width = 1 + steps.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = steps.front().low;
    for (std::size_t e = 0; e < steps.size(); ++e) sum += steps[e].width * wide[i * width + 1 + e];
    EXPECT_EQ(wide[i * width], values[i]);
    EXPECT_NEAR(sum, values[i], 1e-12);
  }
}

TEST(Steps, AreLimitedAndZeroWithoutAWidth) {
  const std::vector<Step> steps{{1, 2.0, 4.0}, {1, 0.0, 0.0}};
  EXPECT_THAT(embedded(std::vector<double>{9, 1, 9, 3, 9, 70}, 2, steps),
              ElementsAre(9, 1, 0, 0, 9, 3, 0.25, 0, 9, 70, 1, 0));
}

TEST(Steps, OfCohortsAreThoseOfTheirMembers) {
  const std::vector<Step> first{{0, -1.0, 0.5}, {1, 0.0, 2.0}};
  const std::vector<Step> second{{0, 0.25, 0.0}, {1, -3.0, 8.0}};
  Tensor<float> steps(2, 3, 2);
  store_steps(first, steps.member(0));
  store_steps(second, steps.member(1));
  Tensor<float> x(1, 3, 2);
  const std::vector<double> rows{-0.75, 1.5, 0.5, -1.0, 3.0, 2.5};
  for (std::size_t i = 0; i < rows.size(); ++i) x.flat()[i] = static_cast<float>(rows[i]);
  const Tensor<float> wide = embedded(x, steps);
  ASSERT_EQ(wide.members(), 2U);
  for (std::size_t m = 0; m < 2; ++m) {
    const std::vector<double> own = embedded(rows, 2, m == 0 ? first : second);
    for (std::size_t i = 0; i < own.size(); ++i) EXPECT_FLOAT_EQ(wide.member(m)[i], static_cast<float>(own[i]));
  }
  Tensor<float> apart(2, 3, 2);
  for (std::size_t m = 0; m < 2; ++m) std::ranges::copy(x.flat(), apart.member(m).begin());
  EXPECT_EQ(embedded(apart, steps), wide);
}

TEST(Steps, NumbersThatAreNoStepsAreRecognised) {
  const std::vector<float> good{0, 1, -2.5, 0, 1, 0};  // source, low, width of two steps
  EXPECT_TRUE(are_steps(good, 2));
  EXPECT_FALSE(are_steps(good, 1)) << "there is no second column";
  const auto with = [&](std::size_t place, float value) {
    std::vector<float> changed = good;
    changed[place] = value;
    return are_steps(changed, 2);
  };
  EXPECT_FALSE(with(0, 0.5F));
  EXPECT_FALSE(with(0, -1.0F));
  EXPECT_FALSE(with(0, std::nanf("")));
  EXPECT_FALSE(with(2, std::numeric_limits<float>::infinity()));
  EXPECT_FALSE(with(5, -1.0F));
  EXPECT_FALSE(with(5, std::nanf("")));
}

}  // namespace
}  // namespace nomu
