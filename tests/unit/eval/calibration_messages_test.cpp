#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;

const Values four_targets = {1, -2, 3, -4};
PredictedRows four_rows() { return {.mean = {0, 0, 0, 0}, .sigma_model = {1, 1, 1, 1}}; }
std::string refusal(const Calibration& calibration, double level) {
  return message_of<ConfigError>([&] { return half_width(calibration, 1.0, 0.0, level); });
}

TEST(CalibrationMessages, NoLevelWithoutACalibrationForIt) {
  EXPECT_THAT(refusal({}, 0.95),
              HasSubstr("[eval/calibration] the prediction is not calibrated, so no bounds of level"));
  EXPECT_EQ(refusal(calibrate_width(four_rows(), 2.0), 0.9),
            "[eval/calibration] calibrated for a mean width, which implies nothing about level 0.9; calibrate for a "
            "level instead");
  const Calibration coverage = calibrate_coverage(four_rows(), four_targets, 0.9);
  EXPECT_EQ(refusal(coverage, 0.95),
            "[eval/calibration] calibrated for level 0.9 only, got 0.95; recalibrate for this level");
  EXPECT_EQ(refusal(coverage, 0.9), "no error");
  const std::vector<std::size_t> folds = {0, 0, 1, 1};
  EXPECT_EQ(refusal(calibrate_cross_conformal(four_rows(), four_targets, folds), 0.8),
            "[eval/calibration] CV+ bounds come from the predictions of the fold models; call cross_bounds");
  const Calibration nll = calibrate_nll(four_rows(), four_targets);
  for (const double level : {0.0, 1.0, 1.5, -0.1, std::nan("")}) {
    EXPECT_THAT(refusal(nll, level), HasSubstr("[eval/calibration] level must be in (0, 1), got ")) << level;
  }
}

TEST(CalibrationMessages, LevelsBeyondTheRowsNameTheRowsNeeded) {
  const Calibration conformal = calibrate_conformal(four_rows(), four_targets);
  EXPECT_EQ(refusal(conformal, 0.8), "no error");
  EXPECT_EQ(refusal(conformal, 0.95),
            "[eval/calibration] level 0.95 needs at least 19 calibration rows, but there are 4");
  EXPECT_THAT(refusal(conformal, 0.9), HasSubstr("needs at least 9 calibration rows"));
  EXPECT_THAT(refusal(conformal, 0.999), HasSubstr("needs at least 999 calibration rows"));
  // The number named is enough, and one less is not.
  for (const double level : {0.5, 0.8, 0.9, 0.95, 0.99, 0.123, 0.7777}) {
    std::size_t rows = 1;
    while (message_of<ConfigError>([&] { return conformal_rank(rows, level); }) != "no error") ++rows;
    if (rows == 1) continue;
    EXPECT_THAT(message_of<ConfigError>([&] { return conformal_rank(rows - 1, level); }),
                HasSubstr("at least " + std::to_string(rows) + " calibration rows"));
  }
  const Calibration isotonic = calibrate_isotonic(four_rows(), four_targets);
  EXPECT_EQ(refusal(isotonic, 0.6), "no error");
  EXPECT_EQ(refusal(isotonic, 0.9), "[eval/calibration] level 0.9 needs at least 19 calibration rows, but there are 4");
}

TEST(CalibrationMessages, EveryCalibrationStatesItsGuarantee) {
  EXPECT_EQ(guarantee(calibrate_conformal(four_rows(), four_targets), 0.8),
            "a new row like the 4 calibration rows (exchangeable with them) is covered with probability at least 80 % "
            "(split conformal)");
  const std::vector<std::size_t> alone = {0, 1, 2, 3};
  EXPECT_EQ(guarantee(calibrate_cross_conformal(four_rows(), four_targets, alone), 0.8),
            "a new row like the 4 rows (exchangeable with them) is covered with probability at least 60 % (1 - 2 alpha "
            "for alpha = 20 %, jackknife+); in practice about 80 %");
  const std::vector<std::size_t> halves = {0, 0, 1, 1};
  EXPECT_THAT(guarantee(calibrate_cross_conformal(four_rows(), four_targets, halves), 0.8),
              HasSubstr("at least 43.33 % (1 - 2 alpha for alpha = 20 %, less an allowance for folds, CV+)"));
  EXPECT_EQ(guarantee(calibrate_coverage(four_rows(), four_targets, 0.9), 0.9),
            "at least 90 % of the 4 calibration rows are covered; for new rows nothing is guaranteed");
  EXPECT_THAT(guarantee(calibrate_nll(four_rows(), four_targets), 0.9),
              HasSubstr("90 % holds where errors are Gaussian with the calibrated sigma (4 rows)"));
  EXPECT_THAT(guarantee(calibrate_isotonic(four_rows(), four_targets), 0.6),
              HasSubstr("quantiles match the 4 calibration rows"));
  EXPECT_THAT(guarantee(calibrate_width(four_rows(), 1.0), 0.9), HasSubstr("no coverage is guaranteed"));
  EXPECT_THAT(message_of<ConfigError>([] { return guarantee({}, 0.9); }), HasSubstr("not calibrated"));
  EXPECT_EQ(guaranteed_coverage(calibrate_nll(four_rows(), four_targets), 0.9), 0.0);
  EXPECT_EQ(guaranteed_coverage(calibrate_conformal(four_rows(), four_targets), 0.8), 0.8);
}

TEST(CalibrationMessages, RefusesRowsItCannotLearnFrom) {
  PredictedRows rows = four_rows();
  rows.sigma_model[2] = 0.0;
  const std::string certain =
      "[eval/calibration] the sigma of row 2 (counted from 0) is 0, which claims certainty; it needs a floor above 0";
  EXPECT_EQ(message_of([&] { return calibrate_nll(rows, four_targets); }), certain);
  EXPECT_EQ(message_of([&] { return calibrate_coverage(rows, four_targets, 0.5); }), certain);
  EXPECT_EQ(message_of([&] { return calibrate_conformal(rows, four_targets); }), certain);
  EXPECT_EQ(message_of([&] { return calibrate_isotonic(rows, four_targets); }), certain);
  EXPECT_THAT(message_of([&] { return calibrate_nll(four_rows(), Values{1}); }),
              HasSubstr("1 target values given for 4 rows"));
  EXPECT_THAT(message_of([&] {
                return calibrate_nll(four_rows(), Values{1, 2, HUGE_VAL, 4});
              }),
              HasSubstr("the target of row 2 (counted from 0) is inf"));
  EXPECT_THAT(message_of([&] { return calibrate_nll({.mean = {}, .sigma_model = {}}, {}); }),
              HasSubstr("no rows: the mean is empty"));
  const Values zeros(4, 0.0);
  EXPECT_THAT(message_of([&] { return calibrate_nll(four_rows(), zeros); }),
              HasSubstr("every target equals its prediction, so no factor on sigma is best"));
  EXPECT_THAT(message_of<ConfigError>([&] { return calibrate_separate(four_rows(), four_targets); }),
              HasSubstr("separate factors for model and noise need a model of the noise, and there is none"));
  EXPECT_THAT(message_of<ConfigError>([&] { return calibrate_coverage(four_rows(), four_targets, 1.0); }),
              HasSubstr("level must be in (0, 1), got 1"));
  EXPECT_THAT(message_of<ConfigError>([&] { return calibrate_width(four_rows(), 0.0); }),
              HasSubstr("the mean width must be positive and finite, got 0"));
  EXPECT_THAT(message_of([&] { return calibrate_width({.mean = {0}, .sigma_model = {0}}, 1.0); }),
              HasSubstr("sigma is 0 in every row, so no factor can give the bounds a width"));
  EXPECT_THAT(message_of([&] { return half_width(calibrate_nll(four_rows(), four_targets), -1.0, 0.0, 0.9); }),
              HasSubstr("sigma must be finite and not negative, got -1"));
}

TEST(CalibrationMessages, RefusesFoldsThatAreNone) {
  const auto with_folds = [](const std::vector<std::size_t>& folds) {
    return calibrate_cross_conformal(four_rows(), four_targets, folds);
  };
  EXPECT_THAT(message_of([&] { return with_folds({0, 1}); }), HasSubstr("2 folds given for 4 rows; give one per row"));
  EXPECT_THAT(message_of<ConfigError>([&] {
                return with_folds({0, 0, 0, 0});
              }),
              HasSubstr("all rows are in one fold; CV+ needs at least 2"));
  EXPECT_THAT(message_of([&] {
                return with_folds({0, 2, 2, 0});
              }),
              HasSubstr("fold 1 has no rows but fold 2 has; number folds without gaps"));
  EXPECT_THAT(message_of([&] { return with_folds({0, 1, 2, 99}); }), HasSubstr("fold 3 has no rows but fold 99 has"));
}

std::string damage(const Calibration& calibration) {
  return message_of([&] {
    check_calibration(calibration);
    return 0;
  });
}

TEST(CalibrationMessages, DamagedArchivesAreNoticed) {
  const std::vector<std::size_t> folds = {0, 0, 1, 1};
  const Calibration good = calibrate_conformal(four_rows(), four_targets);
  for (const Calibration& calibration :
       {Calibration{}, good, calibrate_nll(four_rows(), four_targets), calibrate_width(four_rows(), 1.0),
        calibrate_coverage(four_rows(), four_targets, 0.9), calibrate_isotonic(four_rows(), four_targets),
        calibrate_cross_conformal(four_rows(), four_targets, folds)}) {
    EXPECT_EQ(damage(calibration), "no error") << to_text(calibration.kind);
  }
  const auto damaged = [&](auto&& change) {
    Calibration bad = good;
    change(bad);
    return damage(bad);
  };
  EXPECT_EQ(damaged([](Calibration& c) {
              c.scores = {2, 1, 3, 4};
            }),
            "[eval/calibration] not a valid calibration: scores are not in ascending order");
  EXPECT_THAT(damaged([](Calibration& c) { c.scores.pop_back(); }), HasSubstr("scores are not one per row"));
  EXPECT_THAT(damaged([](Calibration& c) { c.scores[0] = -1; }), HasSubstr("a score is negative"));
  EXPECT_THAT(damaged([](Calibration& c) { c.scores[3] = HUGE_VAL; }), HasSubstr("a score is not finite"));
  EXPECT_THAT(damaged([](Calibration& c) { c.c_noise = std::nan(""); }), HasSubstr("a factor of nan"));
  EXPECT_THAT(damaged([](Calibration& c) { c.kind = static_cast<CalibrationKind>(99); }), HasSubstr("unknown kind"));
  EXPECT_THAT(damaged([](Calibration& c) { c.kind = CalibrationKind::nll; }), HasSubstr("scores are not one per row"));
  EXPECT_THAT(damaged([](Calibration& c) { c.kind = CalibrationKind::cross_conformal; }),
              HasSubstr("folds are not one per row"));
  EXPECT_THAT(damaged([](Calibration& c) {
                c.kind = CalibrationKind::cross_conformal;
                c.score_folds = {0, 1, 2, 4};
              }),
              HasSubstr("more folds than rows"));
  EXPECT_THAT(damaged([](Calibration& c) { c = {.kind = CalibrationKind::isotonic, .rows = 2}; }),
              HasSubstr("knots are not one per row"));
  EXPECT_THAT(damaged([](Calibration& c) { c = {.kind = CalibrationKind::conformal}; }), HasSubstr("no rows"));
  EXPECT_THAT(damaged([](Calibration& c) { c = {.kind = CalibrationKind::coverage, .level = 2}; }),
              HasSubstr("a level of 2"));
}

}  // namespace
}  // namespace nomu
