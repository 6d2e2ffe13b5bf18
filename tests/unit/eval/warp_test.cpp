#include "nomu/eval/warp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

const std::vector<Warp> some_warps{{.centre = 0.0, .scale = 1.0}, {.centre = -300.0, .scale = 40.0}, {5.0, 1e-3}};

TEST(Warp, LeadsThereAndBack) {
  for (const Warp& warp : some_warps) {
    double before = -std::numeric_limits<double>::infinity();
    for (double y = -1e4; y <= 1e4; y += 37.0) {
      const double z = warp.apply(y);
      EXPECT_NEAR(warp.invert(z), y, 1e-9);
      EXPECT_GT(z, before) << "the order of targets is kept";
      before = z;
    }
  }
}

TEST(Warp, TheSlopeIsThatOfTheWayBack) {
  for (const Warp& warp : some_warps) {
    for (const double z : {-3.0, 0.0, 0.4, 6.0}) {
      const double h = 1e-5;
      EXPECT_NEAR((warp.invert(z + h) - warp.invert(z - h)) / (2.0 * h), warp.slope(z), 1e-6 * warp.slope(z));
    }
  }
}

TEST(Warp, WithoutAScaleNothingChanges) {
  const Warp none{.centre = 5.0, .scale = 0.0};
  EXPECT_FALSE(none.active());
  EXPECT_EQ(none.apply(7.0), 7.0);
  EXPECT_EQ(none.invert(7000.0), 7000.0);
  EXPECT_EQ(none.slope(3.0), 1.0);
  const PredictedRows rows = unwarped({.mean = {1e6}, .sigma_model = {2.0}, .sigma_noise = {3.0}}, none);
  EXPECT_THAT(rows.mean, ElementsAre(1e6));
  EXPECT_THAT(rows.sigma_noise, ElementsAre(3.0));
}

/// The mean of the target where z is normal, by the trapezoidal rule.
double integrated_mean(const Warp& warp, double z, double deviation) {
  double sum = 0.0;
  const double h = 1e-3;
  for (double u = -10.0; u <= 10.0; u += h)
    sum += h * warp.invert(z + deviation * u) * std::exp(-0.5 * u * u) / std::sqrt(2.0 * std::numbers::pi);
  return sum;
}

TEST(Warp, TheMeanIsThatOfGaussianNoise) {
  for (const Warp& warp : some_warps) {
    for (const double z : {-2.0, 0.3, 4.0}) {
      for (const double noise : {0.05, 0.5, 0.95}) {
        const PredictedRows rows = unwarped({.mean = {z}, .sigma_model = {0.7}, .sigma_noise = {noise}}, warp);
        EXPECT_NEAR(rows.mean[0], integrated_mean(warp, z, noise), 1e-8 * (std::abs(warp.centre) + warp.slope(z)));
      }
      // Heavy noise counts as noise of 1.
      const PredictedRows heavy = unwarped({.mean = {z}, .sigma_model = {0.7}, .sigma_noise = {3.0}}, warp);
      EXPECT_NEAR(heavy.mean[0], integrated_mean(warp, z, 1.0), 1e-8 * (std::abs(warp.centre) + warp.slope(z)));
    }
  }
}

TEST(Warp, DeviationsAreHalfTheDistanceOfTheEnds) {
  const Warp warp{.centre = 10.0, .scale = 2.0};
  const PredictedRows rows = unwarped(
      {.mean = {1.5, 1.5}, .sigma_model = {0.3, 0.0}, .sigma_noise = {0.4, 0.0}, .sigma_below = {0.6, 0.0}}, warp);
  const double half = 0.5 * (warp.invert(2.0) - warp.invert(1.0));
  EXPECT_NEAR(std::hypot(rows.sigma_model[0], rows.sigma_noise[0]), half, 1e-12);
  EXPECT_NEAR(rows.sigma_model[0] / rows.sigma_noise[0], 0.75, 1e-12);
  EXPECT_NEAR(rows.sigma_below[0], 2.0 * rows.sigma_model[0], 1e-12);
  EXPECT_EQ(rows.sigma_model[1], 0.0);
  EXPECT_EQ(rows.sigma_noise[1], 0.0);
  const PredictedRows silent = unwarped({.mean = {1.5}, .sigma_model = {0.5}}, warp);
  EXPECT_NEAR(silent.sigma_model[0], half, 1e-12);
  EXPECT_EQ(silent.mean[0], warp.invert(1.5));
  EXPECT_TRUE(silent.sigma_noise.empty());
}

TEST(Warp, BoundsAreMappedEndByEnd) {
  const Warp warp{.centre = 0.0, .scale = 3.0};
  const Bounds bounds = unwarped({.lower = {warp.apply(-4.0)}, .upper = {warp.apply(70.0)}}, warp);
  EXPECT_NEAR(bounds.lower[0], -4.0, 1e-12);
  EXPECT_NEAR(bounds.upper[0], 70.0, 1e-10);
}

TEST(Warp, CrossBoundsRankEndsOnTheScaleOfTheTarget) {
  const std::vector<Warp> warps{{}, {.centre = 1.0, .scale = 2.0}};
  Random random(4);
  PredictedRows out_of_fold;
  std::vector<double> targets;
  std::vector<std::size_t> folds;
  for (std::size_t i = 0; i < 30; ++i) {
    folds.push_back(i % 2);
    out_of_fold.mean.push_back(random.normal());
    out_of_fold.sigma_model.push_back(random.uniform(0.2, 1.0));
    targets.push_back(out_of_fold.mean.back() + random.normal());
  }
  const Calibration calibration = calibrate_cross_conformal(out_of_fold, targets, folds);
  const std::vector<PredictedRows> fold_models{{.mean = {3.0}, .sigma_model = {0.5}},
                                               {.mean = {0.9}, .sigma_model = {0.2}}};
  std::vector<double> lows;
  std::vector<double> highs;
  for (std::size_t i = 0; i < calibration.scores.size(); ++i) {
    const std::size_t fold = calibration.score_folds[i];
    const double reach = calibration.scores[i] * calibration.c_model * fold_models[fold].sigma_model[0];
    lows.push_back(warps[fold].invert(fold_models[fold].mean[0] - reach));
    highs.push_back(warps[fold].invert(fold_models[fold].mean[0] + reach));
  }
  std::ranges::sort(lows);
  std::ranges::sort(highs);
  const std::size_t rank = conformal_rank(30, 0.8);
  const Bounds bounds =
      cross_bounds(fold_models, calibration, 0.8, [&](std::size_t fold, double z) { return warps[fold].invert(z); });
  EXPECT_DOUBLE_EQ(bounds.lower[0], lows[30 - rank]);
  EXPECT_DOUBLE_EQ(bounds.upper[0], highs[rank - 1]);
}

TEST(PossibleWarps, BeginWithTheIdentity) {
  Random random(5);
  std::vector<double> even;
  std::vector<double> skewed;
  for (int i = 0; i < 500; ++i) {
    even.push_back(random.normal());
    skewed.push_back(std::exp(2.0 * random.normal()));
  }
  EXPECT_EQ(possible_warps(even).front(), Warp{});
  const auto around_zero = [](const std::vector<double>& targets) {
    return std::ranges::count_if(possible_warps(targets), [](const Warp& w) { return w.active() && w.centre == 0.0; });
  };
  EXPECT_EQ(around_zero(even), 0);
  EXPECT_EQ(possible_warps(skewed).front(), Warp{});
  EXPECT_GE(around_zero(skewed), 1);
  for (double& target : skewed) target -= 100.0;
  EXPECT_EQ(around_zero(skewed), 0);
}

TEST(PossibleWarps, TargetsThatAreMostlyAlikeHaveNone) {
  std::vector<double> targets(100, 0.0);
  targets.back() = 1.0;
  EXPECT_THAT(possible_warps(targets), SizeIs(1));
  targets.assign(100, 7.0);
  EXPECT_THAT(possible_warps(targets), Each(Warp{}));
}

TEST(Warp, AWildTargetMakesOneWorthATry) {
  std::vector<double> targets;
  targets.reserve(101);
  for (int i = 0; i < 101; ++i) targets.push_back(-1.0 + 0.02 * i);
  EXPECT_EQ(possible_warps(targets).size(), 1U);
  targets.back() = 1e6;
  const std::vector<Warp> warps = possible_warps(targets);
  ASSERT_EQ(warps.size(), 2U);
  EXPECT_NEAR(warps[1].centre, 0.0, 0.05);
  EXPECT_LT(warps[1].apply(1e6) - warps[1].apply(1.0), 20.0);
  EXPECT_NEAR(warps[1].slope(warps[1].apply(0.5)) / warps[1].slope(0.0), 1.0, 0.02) << "others stay nearly linear";
}

}  // namespace
}  // namespace nomu
