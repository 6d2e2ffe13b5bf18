#include "nomu/eval/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "eval/normal.hpp"
#include "message_of.hpp"
#include "random_rows.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;

constexpr NllConstant included = NllConstant::included;
constexpr NllConstant left_out = NllConstant::left_out;

// Means 0, sigmas 1 and 2, targets 1 and -4: z = 1, -2.
const Values two_means = {0, 0};
const Values two_sigmas = {1, 2};
const Values two_targets = {1, -4};

/// The integral of MW over CP along a curve, by the trapezoidal rule: AUC as the paper defines it.
double area_under_curve(std::span<const CurvePoint> curve) {
  double area = 0.0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    area += 0.5 * (curve[i].mean_width + curve[i - 1].mean_width) * (curve[i].coverage - curve[i - 1].coverage);
  }
  return area;
}

TEST(Metrics, NllByHand) {
  EXPECT_NEAR(nll(two_means, two_sigmas, two_targets, left_out), (0.5 + 2.0 + std::log(2.0)) / 2, 1e-15);
  EXPECT_NEAR(nll(two_means, two_sigmas, two_targets, included),
              (0.5 + 2.0 + std::log(2.0)) / 2 + 0.5 * std::log(2 * std::numbers::pi), 1e-15);
  const MinimalNll best = minimal_nll(two_means, two_sigmas, two_targets, left_out);
  EXPECT_NEAR(best.c, std::sqrt(2.5), 1e-15);
  EXPECT_NEAR(best.value, 0.5 * std::log(2.0) + 0.5 * std::log(2.5) + 0.5, 1e-15);
  EXPECT_NEAR(minimal_nll(two_means, two_sigmas, two_targets, included).value - best.value, half_log_two_pi, 1e-15);
}

TEST(Metrics, NoFactorBeatsTheMinimalNll) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomRows rows = random_rows(1 + 7 * seed, seed);
    const MinimalNll best = minimal_nll(rows.mean, rows.sigma, rows.target, left_out);
    EXPECT_NEAR(nll(rows.mean, times(rows.sigma, best.c), rows.target, left_out), best.value, 1e-12);
    for (double c = 0.01; c < 100; c *= 1.05) {
      ASSERT_GE(nll(rows.mean, times(rows.sigma, c), rows.target, left_out), best.value - 1e-12);
    }
  }
}

TEST(Metrics, CoverageIncludesTheBounds) {
  const Values lower = {0, 0, 0, 0};
  const Values upper = {1, 1, 1, 2};
  EXPECT_EQ(coverage(lower, upper, Values{0, 1, 1.0001, -0.0001}), 0.5);
  EXPECT_EQ(coverage(Bounds{.lower = lower, .upper = upper}, Values{0.5, 0.5, 0.5, 2}), 1.0);
  EXPECT_EQ(coverage(two_means, two_sigmas, two_targets, 1.0), 0.5);
  EXPECT_EQ(coverage(two_means, two_sigmas, two_targets, 2.0), 1.0);
  EXPECT_EQ(coverage(two_means, two_sigmas, two_targets, 0.0), 0.0);
}

TEST(Metrics, WidthCountsEveryRow) {
  EXPECT_EQ(mean_width(Values{0, -1}, Values{1, 2}), 2.0);
  EXPECT_EQ(mean_width(Bounds{.lower = {1}, .upper = {0}}), 1.0);  // the definition has the absolute value
  EXPECT_EQ(mean_width(two_sigmas, 3.0), 9.0);
}

TEST(Metrics, CurveByHand) {
  const std::vector<CurvePoint> curve = mw_cp_curve(two_means, two_sigmas, two_targets);
  ASSERT_EQ(curve.size(), 5U);
  const std::vector<CurvePoint> expected = {{0, 0, 0}, {1, 0, 3}, {1, 0.5, 3}, {2, 0.5, 6}, {2, 1, 6}};
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_EQ(curve[i].c, expected[i].c);
    EXPECT_EQ(curve[i].coverage, expected[i].coverage);
    EXPECT_EQ(curve[i].mean_width, expected[i].mean_width);
  }
  EXPECT_EQ(area_under_curve(curve), 4.5);
  EXPECT_EQ(auc(two_means, two_sigmas, two_targets), 4.5);
}

TEST(Metrics, AucByDefinitionAndInClosedFormAgree) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomRows rows = random_rows(1 + 9 * seed, seed);
    rows.target[seed / 2] = rows.mean[seed / 2];  // covered from the start
    if (seed > 3) {                               // rows covered together
      rows.mean[3] = rows.mean[1];
      rows.sigma[3] = rows.sigma[1];
      rows.target[3] = rows.target[1];
    }
    const std::vector<CurvePoint> curve = mw_cp_curve(rows.mean, rows.sigma, rows.target);
    EXPECT_EQ(curve.back().coverage, 1.0);
    EXPECT_NEAR(area_under_curve(curve), auc(rows.mean, rows.sigma, rows.target), 1e-9);
    for (const CurvePoint& point : curve) {
      ASSERT_NEAR(mean_width(rows.sigma, point.c), point.mean_width, 1e-12);
    }
  }
}

/// The published recipe: the trapezoidal rule and the smallest NLL on a fixed grid of factors.
struct GridMetrics {
  double auc = 0.0;
  double min_nll = std::numeric_limits<double>::infinity();
};

GridMetrics on_the_published_grid(const RandomRows& rows) {
  std::vector<double> grid = {0.0};
  for (int i = 0; i < 100000; ++i) grid.push_back(1e-3 * std::pow(1e6, 1e-5 * i));
  for (int k = 1; k < 20; ++k) grid.push_back(1000.0 * std::pow(2.0, k));
  Values z;
  double log_sigma = 0.0;
  double squares = 0.0;
  for (const double value : standardised_residuals(rows.mean, rows.sigma, rows.target)) {
    z.push_back(std::abs(value));
    squares += value * value / static_cast<double>(rows.mean.size());
  }
  for (const double sigma : rows.sigma) log_sigma += std::log(sigma) / static_cast<double>(rows.sigma.size());
  std::ranges::sort(z);
  GridMetrics result;
  std::vector<CurvePoint> curve;
  for (const double c : grid) {
    const auto covered = static_cast<double>(std::ranges::upper_bound(z, c) - z.begin());
    curve.push_back({c, covered / static_cast<double>(z.size()), mean_width(rows.sigma, c)});
    if (c > 0.0) result.min_nll = std::min(result.min_nll, log_sigma + std::log(c) + 0.5 * squares / (c * c));
    if (curve.back().coverage == 1.0) break;
  }
  result.auc = area_under_curve(curve);
  return result;
}

TEST(Metrics, ThePublishedGridComesCloseToTheClosedForms) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const RandomRows rows = random_rows(100, seed);
    const GridMetrics grid = on_the_published_grid(rows);
    EXPECT_NEAR(grid.auc / auc(rows.mean, rows.sigma, rows.target), 1.0, 2e-5);
    EXPECT_NEAR(grid.min_nll, minimal_nll(rows.mean, rows.sigma, rows.target, left_out).value, 2e-5);
  }
}

TEST(Metrics, CrpsIsTheIntegralOfItsDefinition) {
  for (const auto& [mean, sigma, target] : {std::array{0.0, 1.0, 0.0}, {0.3, 0.5, 1.9}, {-1.0, 2.0, -4.5}}) {
    double integral = 0.0;
    const double step = sigma * 1e-3;
    for (double y = mean - 12 * sigma + 0.5 * step; y < mean + 12 * sigma; y += step) {
      const double difference = normal_cdf((y - mean) / sigma) - (y >= target ? 1.0 : 0.0);
      integral += difference * difference * step;
    }
    EXPECT_NEAR(crps(Values{mean}, Values{sigma}, Values{target}), integral, 1e-3 * sigma);
  }
  EXPECT_NEAR(crps(Values{0}, Values{1}, Values{0}), (std::sqrt(2.0) - 1.0) / std::sqrt(std::numbers::pi), 1e-15);
  EXPECT_EQ(crps(Values{1}, Values{0}, Values{3}), 2.0);
}

TEST(Metrics, IntervalScoreByHand) {
  const Bounds bounds{.lower = {0, 0, 0}, .upper = {1, 1, 1}};
  EXPECT_NEAR(interval_score(bounds, Values{0.5, 1.5, -0.25}, 0.9), 1.0 + 20.0 * (0.5 + 0.25) / 3.0, 1e-13);
  EXPECT_NEAR(interval_score(bounds, Values{0, 1, 1}, 0.5), 1.0, 1e-15);
}

TEST(Metrics, RmseAndSharpnessByHand) {
  EXPECT_NEAR(rmse(Values{0, 0}, Values{3, -4}), std::sqrt(12.5), 1e-15);
  EXPECT_NEAR(sharpness(Values{1, 7}), 5.0, 1e-15);
}

TEST(Metrics, MiscalibrationAreaByHandAndByQuadrature) {
  // One row at level 1/2: the share jumps from 0 to 1 there, two triangles of 1/8 each.
  EXPECT_NEAR(miscalibration_area(Values{0}, Values{1}, Values{0}), 0.25, 1e-15);
  EXPECT_NEAR(miscalibration_area(Values{0}, Values{1}, Values{-50}), 0.5, 1e-15);
  EXPECT_NEAR(miscalibration_area(Values{0}, Values{1}, Values{50}), 0.5, 1e-15);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const RandomRows rows = random_rows(10 * seed, seed);
    Values levels = standardised_residuals(rows.mean, rows.sigma, rows.target);
    for (double& level : levels) level = normal_cdf(level);
    double integral = 0.0;
    for (double p = 5e-6; p < 1.0; p += 1e-5) {
      const auto below = std::ranges::count_if(levels, [p](double level) { return level <= p; });
      integral += 1e-5 * std::abs(static_cast<double>(below) / static_cast<double>(levels.size()) - p);
    }
    EXPECT_NEAR(miscalibration_area(rows.mean, rows.sigma, rows.target), integral, 1e-4);
  }
  const RandomRows right = random_rows(20000, 3, 1.0);
  EXPECT_LT(miscalibration_area(right.mean, right.sigma, right.target), 0.01);
}

TEST(Metrics, UnitsOfTheTargetPassThrough) {
  const RandomRows rows = random_rows(60, 12);
  const MetricsReport plain = measure(rows.mean, rows.sigma, rows.target);
  for (const double s : {1e-6, 0.3, 1e5}) {
    const MetricsReport scaled = measure(times(rows.mean, s), times(rows.sigma, s), times(rows.target, s));
    EXPECT_NEAR(scaled.rmse / s, plain.rmse, 1e-9);
    EXPECT_NEAR(scaled.nll - std::log(s), plain.nll, 1e-9);
    EXPECT_NEAR(scaled.min_nll - std::log(s), plain.min_nll, 1e-9);
    EXPECT_NEAR(scaled.best_c, plain.best_c, 1e-9);
    EXPECT_NEAR(scaled.auc / s, plain.auc, 1e-9);
    EXPECT_NEAR(scaled.full_coverage_c, plain.full_coverage_c, 1e-9);
    EXPECT_NEAR(scaled.crps / s, plain.crps, 1e-9);
    EXPECT_NEAR(scaled.miscalibration_area, plain.miscalibration_area, 1e-9);
    EXPECT_NEAR(scaled.sharpness / s, plain.sharpness, 1e-9);
  }
  // A factor on sigma alone changes neither the curve's area nor the minimal NLL.
  const MetricsReport wider = measure(rows.mean, times(rows.sigma, 10.0), rows.target);
  EXPECT_NEAR(wider.auc, plain.auc, 1e-9);
  EXPECT_NEAR(wider.min_nll, plain.min_nll, 1e-9);
  EXPECT_NEAR(wider.best_c, plain.best_c / 10.0, 1e-9);
}

TEST(Metrics, MeasuresAMemberOfAPrediction) {
  Prediction prediction;
  prediction.mean = Tensor<float>(2, 2, 1);
  prediction.sigma_model = Tensor<float>(2, 2, 1, 1.0F);
  prediction.sigma_model(1, 1, 0) = 2.0F;
  const MetricsReport direct = measure(two_means, two_sigmas, two_targets);
  EXPECT_EQ(measure(prediction, 1, two_targets).auc, direct.auc);
  EXPECT_EQ(measure(prediction, 1, two_targets).full_coverage_c, 2.0);
  const Calibration twice{.kind = CalibrationKind::nll, .c_model = 2.0, .c_noise = 2.0, .rows = 5};
  EXPECT_NEAR(measure(prediction, 1, two_targets, twice).nll,
              nll(two_means, times(two_sigmas, 2.0), two_targets, included), 1e-15);
  prediction.sigma_below = Tensor<float>(2, 2, 1, 4.0F);
  EXPECT_NEAR(measure(prediction, 1, two_targets).nll, nll(two_means, Values{2.5, 3}, two_targets, included), 1e-15);
}

TEST(Metrics, RefusesSigmasOfZeroWhereItWouldDivide) {
  const Values sigmas = {1, 0};
  const std::string certain =
      "[eval/metrics] the sigma of row 1 (counted from 0) is 0, which claims certainty; it needs a floor above 0";
  EXPECT_EQ(message_of([&] { return nll(two_means, sigmas, two_targets, included); }), certain);
  EXPECT_EQ(message_of([&] { return minimal_nll(two_means, sigmas, two_targets, included); }), certain);
  EXPECT_EQ(message_of([&] { return miscalibration_area(two_means, sigmas, two_targets); }), certain);
  const std::string missed =
      "[eval/metrics] row 1 (counted from 0) has sigma 0 but is missed by 4, so no factor on sigma covers it";
  EXPECT_EQ(message_of([&] { return auc(two_means, sigmas, two_targets); }), missed);
  EXPECT_EQ(message_of([&] { return mw_cp_curve(two_means, sigmas, two_targets); }), missed);
  // A row met exactly is covered from the start.
  EXPECT_EQ(auc(two_means, sigmas, Values{1, 0}), 0.5);
  EXPECT_EQ(area_under_curve(mw_cp_curve(two_means, sigmas, Values{1, 0})), 0.5);
  EXPECT_THAT(message_of([&] { return minimal_nll(two_means, two_sigmas, two_means, included); }),
              HasSubstr("every target equals its prediction, so the NLL has no minimum"));
}

TEST(Metrics, RefusesWhatIsNoData) {
  const Values bad = {1, std::nan("")};
  const Values infinite = {1, HUGE_VAL};
  EXPECT_EQ(message_of([&] { return rmse(bad, two_targets); }),
            "[eval/metrics] the mean of row 1 (counted from 0) is nan; it must be finite");
  EXPECT_THAT(message_of([&] { return nll(two_means, two_sigmas, bad, included); }),
              HasSubstr("the target of row 1 (counted from 0) is nan"));
  EXPECT_THAT(message_of([&] { return crps(two_means, infinite, two_targets); }),
              HasSubstr("the sigma of row 1 (counted from 0) is inf"));
  EXPECT_THAT(message_of([&] {
                return crps(two_means, Values{1, -1}, two_targets);
              }),
              HasSubstr("the sigma of row 1 (counted from 0) is -1; it must not be negative"));
  EXPECT_THAT(message_of([&] { return sharpness({}); }), HasSubstr("[eval/metrics] no rows: the sigma is empty"));
  EXPECT_THAT(message_of([&] { return auc(two_means, two_sigmas, Values{1}); }),
              HasSubstr("1 target values given for 2 rows; give one per row"));
  EXPECT_THAT(message_of([&] { return coverage(two_means, Values{1}, two_targets); }),
              HasSubstr("1 upper bound values given for 2 rows"));
  EXPECT_THAT(message_of([&] { return mean_width(infinite, infinite); }),
              HasSubstr("the lower bound of row 1 (counted from 0) is inf"));
  EXPECT_EQ(message_of<ConfigError>([&] { return mean_width(two_sigmas, -1.0); }),
            "[eval/metrics] the factor c must be finite and not negative, got -1");
  EXPECT_THAT(message_of<ConfigError>([&] { return coverage(two_means, two_sigmas, two_targets, std::nan("")); }),
              HasSubstr("the factor c must be finite and not negative, got nan"));
  EXPECT_EQ(message_of<ConfigError>([&] { return interval_score(two_means, two_sigmas, two_targets, 1.5); }),
            "[eval/metrics] level must be in (0, 1), got 1.5");
}

}  // namespace
}  // namespace nomu
