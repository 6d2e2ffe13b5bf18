#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "message_of.hpp"
#include "nomu/core/random.hpp"
#include "nomu/eval/bounds.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/eval/metrics.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using Values = std::vector<double>;

const Values four_targets = {1, -2, 3, -4};
PredictedRows four_rows() { return {.mean = {0, 0, 0, 0}, .sigma_model = {1, 1, 1, 1}}; }

TEST(Conformal, TakesTheFiniteSampleQuantile) {
  EXPECT_EQ(conformal_rank(9, 0.9), 9U);
  EXPECT_EQ(conformal_rank(99, 0.95), 95U);
  EXPECT_EQ(conformal_rank(100, 0.9), 91U);
  EXPECT_EQ(conformal_rank(10, 0.01), 1U);
  for (std::size_t n = 1; n < 300; ++n) {
    for (std::size_t k = 1; k <= n; ++k) {  // levels that are exact multiples must not slip by rounding
      ASSERT_EQ(conformal_rank(n, static_cast<double>(k) / static_cast<double>(n + 1)), k);
    }
  }
  const Calibration calibration = calibrate_conformal(four_rows(), four_targets);
  EXPECT_THAT(calibration.scores, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(half_width(calibration, 10.0, 0.0, 0.8), 40.0);
  EXPECT_EQ(half_width(calibration, 10.0, 0.0, 0.6), 30.0);
  EXPECT_EQ(half_width(calibration, 0.3, 0.4, 0.6), 1.5);
  // A common factor cancels.
  const Calibration base{.kind = CalibrationKind::nll, .c_model = 7.0, .c_noise = 7.0};
  EXPECT_NEAR(half_width(calibrate_conformal(four_rows(), four_targets, base), 10.0, 0.0, 0.6), 30.0, 1e-12);
}

TEST(Conformal, SplitConformalKeepsItsPromise) {
  // Wrong sigmas and skewed errors on purpose. Coverage averaged over calibration draws is k / (n + 1) exactly.
  for (const auto& [n, level] : {std::pair<std::size_t, double>{9, 0.9}, {19, 0.8}, {60, 0.95}}) {
    Random random(n);
    constexpr int rounds = 4000;
    int covered = 0;
    const auto draw = [&](PredictedRows& rows, Values& targets) {
      const double x = random.uniform(0.1, 3.0);
      rows.mean.push_back(x);
      rows.sigma_model.push_back(std::sqrt(x));
      targets.push_back(x + x * std::exp(random.normal()));
    };
    for (int round = 0; round < rounds; ++round) {
      PredictedRows rows;
      PredictedRows fresh;
      Values targets;
      Values target;
      for (std::size_t i = 0; i < n; ++i) draw(rows, targets);
      draw(fresh, target);
      if (coverage(make_bounds(fresh, calibrate_conformal(rows, targets), level), target) == 1.0) ++covered;
    }
    const double expected = static_cast<double>(conformal_rank(n, level)) / static_cast<double>(n + 1);
    const double limit = 4.0 * std::sqrt(expected * (1 - expected) / rounds);
    EXPECT_NEAR(static_cast<double>(covered) / rounds, expected, limit) << n;
    EXPECT_GE(expected, level - 1e-12);
  }
}

/// The mean of the targets outside a fold, as the simplest model; sigma is made up.
struct FoldModels {
  std::vector<double> mean;
  explicit FoldModels(const Values& targets, std::size_t folds) : mean(folds, 0.0) {
    for (std::size_t k = 0; k < folds; ++k) {
      double count = 0.0;
      for (std::size_t i = 0; i < targets.size(); ++i) {
        if (i % folds == k) continue;
        mean[k] += targets[i];
        ++count;
      }
      mean[k] /= count;
    }
  }
};

TEST(Conformal, CrossConformalKeepsItsPromise) {
  for (const auto& [n, folds, level] : {std::tuple<std::size_t, std::size_t, double>{20, 20, 0.9}, {24, 4, 0.8}}) {
    Random random(folds);
    constexpr int rounds = 3000;
    int covered = 0;
    double promised = 0.0;
    for (int round = 0; round < rounds; ++round) {
      Values targets;
      std::vector<std::size_t> fold_of_row;
      for (std::size_t i = 0; i < n; ++i) {
        targets.push_back(random.normal());
        fold_of_row.push_back(i % folds);
      }
      const FoldModels models(targets, folds);
      PredictedRows out_of_fold;
      for (std::size_t i = 0; i < n; ++i) {
        out_of_fold.mean.push_back(models.mean[i % folds]);
        out_of_fold.sigma_model.push_back(0.1);
      }
      std::vector<PredictedRows> fresh;
      for (const double mean : models.mean) fresh.push_back({.mean = {mean}, .sigma_model = {0.1}});
      const Calibration calibration = calibrate_cross_conformal(out_of_fold, targets, fold_of_row);
      const Values target = {random.normal()};
      if (coverage(cross_bounds(fresh, calibration, level), target) == 1.0) ++covered;
      promised = guaranteed_coverage(calibration, level);
    }
    const double share = static_cast<double>(covered) / rounds;
    EXPECT_GE(share, promised);
    // Stable models do as well as the level itself.
    EXPECT_NEAR(share, level, 4.0 * std::sqrt(level * (1 - level) / rounds) + 0.02) << folds;
  }
}

// Fold models that disagree by more than their scores: the ends cross at low levels.
TEST(Conformal, CrossConformalNeverWidensAsTheLevelFalls) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 6 + random.below(30);
    const std::size_t folds = 2 + random.below(4);
    PredictedRows out_of_fold;
    Values targets;
    std::vector<std::size_t> fold_of_row;
    for (std::size_t i = 0; i < n; ++i) {
      out_of_fold.mean.push_back(0.0);
      out_of_fold.sigma_model.push_back(1.0);
      targets.push_back(random.normal());
      fold_of_row.push_back(i % folds);
    }
    const Calibration calibration = calibrate_cross_conformal(out_of_fold, targets, fold_of_row);
    std::vector<PredictedRows> fresh;
    for (std::size_t k = 0; k < folds; ++k) fresh.push_back({.mean = {3.0 * random.normal()}, .sigma_model = {1.0}});
    double below = -1e300;
    double above = 1e300;
    for (double level = 0.8; level > 0.02; level -= 0.02) {
      const Bounds bounds = cross_bounds(fresh, calibration, level);
      ASSERT_LE(bounds.lower[0], bounds.upper[0]) << level;
      ASSERT_GE(bounds.lower[0], below) << level;
      ASSERT_LE(bounds.upper[0], above) << level;
      below = bounds.lower[0];
      above = bounds.upper[0];
    }
  }
}

TEST(Conformal, CrossConformalKeepsScoresWithTheirFolds) {
  const std::vector<std::size_t> folds = {1, 0, 0, 1};
  const Calibration calibration = calibrate_cross_conformal(four_rows(), Values{4, -1, 3, 2}, folds);
  EXPECT_THAT(calibration.scores, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(calibration.score_folds, ElementsAre(0, 1, 0, 1));
  EXPECT_NEAR(guaranteed_coverage(calibration, 0.8), 0.6 - std::min(2 * 0.5 / 3, 0.5 / 3), 1e-12);
  const std::vector<std::size_t> alone = {0, 1, 2, 3};
  EXPECT_NEAR(guaranteed_coverage(calibrate_cross_conformal(four_rows(), four_targets, alone), 0.8), 0.6, 1e-12);
}

}  // namespace
}  // namespace nomu
