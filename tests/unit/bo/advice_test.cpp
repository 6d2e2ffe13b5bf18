// What a study's results suggest to do otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nomu/bo/insight.hpp"
#include "nomu/core/random.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

TEST(Advice, IsToSayThatResultsAreNoisy) {
  Random random(5);
  const auto advised = [&](double noise, bool said) {
    OptimizeSpec spec;
    spec.noisy = said;
    Study study(Space::box(2, -1.0, 1.0), spec, one_thread());
    std::vector<TrialResult> results;
    for (int i = 0; i < 30; ++i) {
      const Point point{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
      results.push_back({.point = point, .value = bowl(point) + noise * random.normal()});
    }
    study.tell(results, Repeated::refuse);
    return study.advice();
  };
  EXPECT_THAT(advised(0.0, false), testing::IsEmpty());
  const std::vector<std::string> advice = advised(0.4, false);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_THAT(advice.front(), testing::HasSubstr("% of the variance of the results as noise"));
  EXPECT_THAT(advice.front(), testing::HasSubstr("noisy = true"));
  EXPECT_THAT(advised(0.4, true), testing::IsEmpty());
}

TEST(Advice, IsToTellFailuresAsFailures) {
  std::vector<double> results{1, 2, 3, 4, 5, 6, 7, 8, 9, -1e6};
  EXPECT_FALSE(advice_on_penalties(results, Direction::minimize)) << "far better than the others is no penalty";
  const std::optional<std::string> advice = advice_on_penalties(results, Direction::maximize);
  ASSERT_TRUE(advice);
  EXPECT_THAT(*advice, testing::HasSubstr("1 result, -1000000 for example, is more than a thousand interquartile"));
  results.back() = 4000.0;
  EXPECT_FALSE(advice_on_penalties(results, Direction::minimize)) << "a thousand ranges are 4,500";
  results.back() = 6000.0;
  EXPECT_TRUE(advice_on_penalties(results, Direction::minimize));
  EXPECT_FALSE(advice_on_penalties({results.data(), 7}, Direction::minimize));
  EXPECT_FALSE(advice_on_penalties(std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1e6}, Direction::minimize));
}

}  // namespace
}  // namespace nomu
