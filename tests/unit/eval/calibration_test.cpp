#include "nomu/eval/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "eval/normal.hpp"
#include "message_of.hpp"
#include "nomu/eval/bounds.hpp"
#include "nomu/eval/metrics.hpp"
#include "random_rows.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using Values = std::vector<double>;

PredictedRows rows_of(const RandomRows& rows) { return {.mean = rows.mean, .sigma_model = rows.sigma}; }

const Values four_targets = {1, -2, 3, -4};
PredictedRows four_rows() { return {.mean = {0, 0, 0, 0}, .sigma_model = {1, 1, 1, 1}}; }

TEST(Calibration, OneFactorByLikelihoodIsThatOfTheMinimalNll) {
  const RandomRows rows = random_rows(80, 1);
  const Calibration calibration = calibrate_nll(rows_of(rows), rows.target);
  EXPECT_EQ(calibration.kind, CalibrationKind::nll);
  EXPECT_EQ(calibration.rows, 80U);
  EXPECT_NEAR(calibration.c_model, minimal_nll(rows.mean, rows.sigma, rows.target, NllConstant::left_out).c, 1e-12);
  EXPECT_EQ(calibration.c_model, calibration.c_noise);
  EXPECT_NEAR(half_width(calibration, 2.0, 0.0, 0.95), 2.0 * calibration.c_model * 1.959963984540054, 1e-9);
  EXPECT_NEAR(half_width(calibration, 3.0, 4.0, 0.5), 5.0 * calibration.c_model * 0.6744897501960817, 1e-9);
}

TEST(Calibration, AsymmetricResidualsTakeTheSigmaOfTheirSide) {
  PredictedRows rows = four_rows();
  rows.sigma_below = {1, 2, 1, 2};
  EXPECT_NEAR(calibrate_nll(rows, four_targets).c_model, std::sqrt((1 + 1 + 9 + 4) / 4.0), 1e-12);
  EXPECT_THAT(calibrate_conformal(rows, four_targets).scores, ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(calibrate_isotonic(rows, four_targets).knots, ElementsAre(-2, -1, 1, 3));
  EXPECT_NEAR(calibrate_width(rows, 5.0).c_model, 5.0 * 4 / (4 + 6), 1e-12);
}

TEST(Calibration, TheSmallestFactorThatCovers) {
  for (const auto& [level, c] : {std::pair{0.2, 1.0}, {0.25, 1.0}, {0.26, 2.0}, {0.75, 3.0}, {0.76, 4.0}}) {
    EXPECT_NEAR(calibrate_coverage(four_rows(), four_targets, level).c_model, c, 1e-12) << level;
  }
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomRows rows = random_rows(1 + seed, seed);
    const double shift = seed % 2 == 0 ? 0.0 : 1e6;  // rounding differs with the size of the numbers
    for (double& value : rows.mean) value += shift;
    for (double& value : rows.target) value += shift;
    const double level = 0.05 + 0.9 * static_cast<double>(seed) / 200;
    const Calibration calibration = calibrate_coverage(rows_of(rows), rows.target, level);
    const Bounds bounds = make_bounds(rows_of(rows), calibration, level);
    ASSERT_GE(coverage(bounds, rows.target), level - 1e-9) << seed;
    ASSERT_LT(coverage(rows.mean, rows.sigma, rows.target, 0.999999 * calibration.c_model), level) << seed;
  }
}

TEST(Calibration, AFactorForAMeanWidth) {
  const RandomRows rows = random_rows(30, 4);
  PredictedRows predicted = rows_of(rows);
  predicted.sigma_noise = times(rows.sigma, 2.0);
  const Calibration calibration = calibrate_width(predicted, 0.7);
  EXPECT_NEAR(mean_width(make_bounds(predicted, calibration)), 0.7, 1e-12);
}

/// The NLL of variances c1 model^2 + c2 noise^2.
double separate_nll(const PredictedRows& rows, const Values& targets, double c_model, double c_noise) {
  const Calibration calibration{.kind = CalibrationKind::separate, .c_model = c_model, .c_noise = c_noise};
  return nll(rows.mean, calibrated_sigma(calibration, rows).above, targets, NllConstant::left_out);
}

TEST(Calibration, SeparateFactorsBeatABruteForceGrid) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    PredictedRows rows;
    Values targets;
    const double true_model = std::exp(2.0 * random.normal());
    const double true_noise = std::exp(2.0 * random.normal());
    for (int i = 0; i < 60; ++i) {
      rows.mean.push_back(random.normal());
      rows.sigma_model.push_back(std::exp(random.normal()));
      rows.sigma_noise.push_back(std::exp(random.normal()));
      targets.push_back(rows.mean.back() + random.normal() * std::hypot(true_model * rows.sigma_model.back(),
                                                                        true_noise * rows.sigma_noise.back()));
    }
    const Calibration best = calibrate_separate(rows, targets);
    const double reached = separate_nll(rows, targets, best.c_model, best.c_noise);
    EXPECT_LE(reached, separate_nll(rows, targets, true_model, true_noise));
    EXPECT_LE(reached, minimal_nll(rows.mean, calibrated_sigma({}, rows).above, targets, NllConstant::left_out).value);
    double lowest = 1e300;
    for (double a = 1e-3; a < 1e3; a *= 1.15) {
      for (double b = 1e-3; b < 1e3; b *= 1.15) lowest = std::min(lowest, separate_nll(rows, targets, a, b));
    }
    EXPECT_LE(reached, lowest + 1e-12) << seed;
    EXPECT_GE(reached, lowest - 0.01) << seed;
  }
}

TEST(Calibration, SeparateFactorsAreFoundAgain) {
  Random random(77);
  PredictedRows rows;
  Values targets;
  for (int i = 0; i < 20000; ++i) {
    rows.mean.push_back(0.0);
    rows.sigma_model.push_back(1e-4 * std::exp(random.normal()));
    rows.sigma_noise.push_back(std::exp(random.normal()));
    targets.push_back(random.normal() * std::hypot(2e4 * rows.sigma_model.back(), 0.5 * rows.sigma_noise.back()));
  }
  const Calibration best = calibrate_separate(rows, targets);
  EXPECT_NEAR(best.c_model, 2e4, 600);
  EXPECT_NEAR(best.c_noise, 0.5, 0.03);
}

TEST(Calibration, SeparateFactorsAtTheEdges) {
  // Model uncertainty that is large exactly where errors are small: its factor is 0.
  const PredictedRows rows{.mean = {0, 0, 0, 0}, .sigma_model = {9, 8, 0, 0}, .sigma_noise = {1, 1, 1, 1}};
  const Calibration noise_only = calibrate_separate(rows, Values{0.1, -0.1, 2, 2});
  EXPECT_EQ(noise_only.c_model, 0.0);
  EXPECT_NEAR(noise_only.c_noise, std::sqrt((0.01 + 0.01 + 4 + 4) / 4), 1e-9);
  // Proportional sigmas cannot be told apart: one factor for both.
  const PredictedRows alike{.mean = {0, 0}, .sigma_model = {1, 2}, .sigma_noise = {3, 6}};
  const Calibration same = calibrate_separate(alike, Values{1, 1});
  EXPECT_NEAR(same.c_model, same.c_noise, 1e-12);
  EXPECT_NEAR(same.c_model, calibrate_nll(alike, Values{1, 1}).c_model, 1e-12);
  const PredictedRows no_model{.mean = {0, 0}, .sigma_model = {0, 0}, .sigma_noise = {1, 1}};
  EXPECT_EQ(calibrate_separate(no_model, Values{1, 3}).c_model, 0.0);
  EXPECT_NEAR(calibrate_separate(no_model, Values{1, 3}).c_noise, std::sqrt(5.0), 1e-12);
}

TEST(Calibration, IsotonicByHand) {
  // Residuals -4 -2 1 3 at levels 1/5 2/5 3/5 4/5.
  const Calibration calibration = calibrate_isotonic(four_rows(), four_targets);
  EXPECT_THAT(calibration.knots, ElementsAre(-4, -2, 1, 3));
  const Multipliers interval = multipliers(calibration, 0.6);
  EXPECT_NEAR(interval.below, 4.0, 1e-12);
  EXPECT_NEAR(interval.above, 3.0, 1e-12);
  EXPECT_NEAR(half_width(calibration, 2.0, 0.0, 0.6), 7.0, 1e-12);
  // Levels 2/5 and 3/5 are the ends of the interval that contains a fifth; in between the quantiles are linear.
  EXPECT_NEAR(multipliers(calibration, 0.2).below, 2.0, 1e-12);
  EXPECT_NEAR(multipliers(calibration, 0.2).above, 1.0, 1e-12);
  EXPECT_NEAR(multipliers(calibration, 0.1).below, 1.25, 1e-12);
}

/// Isotonic regression by its min-max formula.
Values isotonic_regression(const Values& values) {
  Values fitted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double best = -1e300;
    for (std::size_t a = 0; a <= i; ++a) {
      double smallest = 1e300;
      double sum = 0.0;
      for (std::size_t b = a; b < values.size(); ++b) {
        sum += values[b];
        if (b >= i) smallest = std::min(smallest, sum / static_cast<double>(b - a + 1));
      }
      best = std::max(best, smallest);
    }
    fitted.push_back(best);
  }
  return fitted;
}

TEST(Calibration, TheIsotonicMapIsTheRegressionOfObservedOnPredictedLevels) {
  const RandomRows rows = random_rows(40, 6);
  const Calibration calibration = calibrate_isotonic(rows_of(rows), rows.target);
  Values predicted;
  for (const double z : standardised_residuals(rows.mean, rows.sigma, rows.target)) predicted.push_back(normal_cdf(z));
  std::ranges::sort(predicted);
  Values observed;
  for (std::size_t i = 1; i <= 40; ++i) observed.push_back(static_cast<double>(i) / 41.0);
  const Values regression = isotonic_regression(observed);
  // The central interval between the quantiles of levels regression[i] and 1 - regression[i].
  for (std::size_t i = 0; i < 20; ++i) {
    const Multipliers interval = multipliers(calibration, 1.0 - 2.0 * regression[i]);
    EXPECT_NEAR(normal_cdf(-interval.below), predicted[i], 1e-9);
    EXPECT_NEAR(normal_cdf(interval.above), predicted[39 - i], 1e-9);
  }
}

TEST(Calibration, IsotonicRightsSkewedQuantiles) {
  Random random(8);
  const auto skewed = [&](std::size_t count, PredictedRows& rows, Values& targets) {
    for (std::size_t i = 0; i < count; ++i) {
      rows.mean.push_back(random.normal());
      rows.sigma_model.push_back(random.uniform(0.01, 0.02));  // far too small
      targets.push_back(rows.mean.back() + 50.0 * rows.sigma_model.back() * (std::exp(random.normal()) - 1.0));
    }
  };
  PredictedRows rows;
  PredictedRows fresh;
  Values targets;
  Values fresh_targets;
  skewed(4000, rows, targets);
  skewed(4000, fresh, fresh_targets);
  const Calibration calibration = calibrate_isotonic(rows, targets);
  for (const double level : {0.5, 0.8, 0.95}) {
    const Bounds bounds = make_bounds(fresh, calibration, level);
    EXPECT_NEAR(coverage(bounds, fresh_targets), level, 0.03);
    double below = 0.0;
    for (std::size_t i = 0; i < fresh.rows(); ++i) below += fresh_targets[i] < bounds.lower[i] ? 1.0 / 4000 : 0.0;
    EXPECT_NEAR(below, 0.5 * (1.0 - level), 0.02);
  }
}

TEST(Calibration, UnitsOfTheTargetPassThrough) {
  const RandomRows rows = random_rows(50, 9);
  const double s = 1e4;
  const PredictedRows plain{.mean = rows.mean, .sigma_model = rows.sigma, .sigma_noise = times(rows.sigma, 0.5)};
  const PredictedRows scaled{
      .mean = times(rows.mean, s), .sigma_model = times(rows.sigma, s), .sigma_noise = times(rows.sigma, 0.5 * s)};
  const Values targets = times(rows.target, s);
  const auto expect_same = [&](const Calibration& a, const Calibration& b, double level) {
    const Bounds small = make_bounds(plain, a, level);
    const Bounds large = make_bounds(scaled, b, level);
    for (std::size_t i = 0; i < 50; ++i) {
      ASSERT_NEAR(large.lower[i] / s, small.lower[i], 1e-8) << to_text(a.kind);
      ASSERT_NEAR(large.upper[i] / s, small.upper[i], 1e-8) << to_text(a.kind);
    }
  };
  expect_same(calibrate_nll(plain, rows.target), calibrate_nll(scaled, targets), 0.9);
  expect_same(calibrate_separate(plain, rows.target), calibrate_separate(scaled, targets), 0.9);
  expect_same(calibrate_coverage(plain, rows.target, 0.9), calibrate_coverage(scaled, targets, 0.9), 0.9);
  expect_same(calibrate_conformal(plain, rows.target), calibrate_conformal(scaled, targets), 0.9);
  expect_same(calibrate_isotonic(plain, rows.target), calibrate_isotonic(scaled, targets), 0.9);
}

TEST(Percent, NearlyAllIsNotAll) {
  EXPECT_EQ(percent(0.95), "95 %");
  EXPECT_EQ(percent(0.12345), "12.35 %");
  EXPECT_EQ(percent(0.99999), "99.999 %");
  EXPECT_EQ(percent(1.0), "100 %");
}

}  // namespace
}  // namespace nomu
