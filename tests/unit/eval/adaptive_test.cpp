#include "nomu/eval/adaptive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "message_of.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// The share of rows within adaptive bounds of a model that says 0 -+ 1, where row t has the error `error(t)`.
double share(double level, std::size_t rows, const std::function<double(double)>& error, double* allowance = nullptr) {
  std::vector<double> past;
  for (int t = -60; t < 0; ++t) past.push_back(error(t));
  AdaptiveBounds bounds(past, {.level = level});
  const PredictedRow row;
  std::size_t within = 0;
  for (std::size_t t = 0; t < rows; ++t) {
    const double target = error(static_cast<double>(t));
    const AdaptiveInterval interval = bounds.interval(row);
    within += target >= interval.lower && target <= interval.upper ? 1 : 0;
    bounds.update(target, row);
  }
  EXPECT_EQ(bounds.rows() - bounds.missed(), within);
  if (allowance != nullptr) *allowance = bounds.allowance();
  return static_cast<double>(within) / static_cast<double>(rows);
}

TEST(Adaptive, KeepsTheLevelWhateverTheRowsDo) {
  for (const double level : {0.9, 0.95}) {
    Random random(1);
    const auto noise = [&] { return random.normal(); };
    const std::vector<std::function<double(double)>> worlds{
        [&](double) { return noise(); },
        [&](double t) { return noise() + 0.02 * t; },
        [&](double t) { return noise() + 0.1 * t; },
        [&](double t) { return noise() * (t < 0.0 ? 1.0 : 1.0 + 0.02 * t); },
        [&](double t) { return noise() + (t > 100.0 ? 5.0 : 0.0); },
        [&](double) { return noise() / (0.05 + std::abs(noise())); },
    };
    for (std::size_t k = 0; k < worlds.size(); ++k) {
      double allowance = 0.0;
      const double found = share(level, 1000, worlds[k], &allowance);
      EXPECT_NEAR(found, level, 0.012) << "world " << k;
      EXPECT_LE(std::abs(found - level), allowance) << "proven";
      EXPECT_LT(allowance, 1.0);
    }
  }
}

TEST(Adaptive, BoundsUseOnlyWhatCameBefore) {
  AdaptiveBounds bounds(std::vector<double>{1, -1, 1, -1, 2}, {.level = 0.8, .memory = 0.0});
  const PredictedRow row{.mean = 10.0, .sigma_above = 2.0, .sigma_below = 1.0};
  const AdaptiveInterval first = bounds.interval(row);
  EXPECT_NEAR(first.upper, 14.0, 1e-9) << "the fifth of five errors, 2, times 2";
  EXPECT_NEAR(first.lower, 8.0, 1e-9);
  bounds.update(10.0, row);
  EXPECT_LT(bounds.interval(row).upper, first.upper);
  bounds.update(99.0, row);
  EXPECT_GT(bounds.interval(row).upper, first.upper);
  EXPECT_EQ(bounds.missed(), 1U);
  EXPECT_THAT(bounds.guarantee(), HasSubstr("approaches 80 %, whatever the rows do; so far 1 of 2 (50 %)"));
}

TEST(Adaptive, RefusesWhatItCannotUse) {
  const std::vector<double> errors{1.0};
  EXPECT_THAT(message_of<ConfigError>([&] { return AdaptiveBounds(errors, {.level = 1.0}); }),
              HasSubstr("level must be"));
  EXPECT_THAT(message_of<ConfigError>([&] { return AdaptiveBounds(errors, {.step = 0.0}); }),
              HasSubstr("the step must be positive, got 0"));
  EXPECT_THAT(message_of<ConfigError>([&] { return AdaptiveBounds(errors, {.memory = 1.0}); }), HasSubstr("[0, 1)"));
  EXPECT_THAT(message_of([&] { return AdaptiveBounds({}, {}); }), HasSubstr("no rows: the error is empty"));
  AdaptiveBounds bounds(errors);
  EXPECT_EQ(bounds.allowance(), 1.0);
  EXPECT_THAT(message_of([&] {
                bounds.update(std::nan(""), {});
                return 0;
              }),
              HasSubstr("a result of nan"));
}

}  // namespace
}  // namespace nomu
