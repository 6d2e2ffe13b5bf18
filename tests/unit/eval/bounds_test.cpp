#include "nomu/eval/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"

namespace nomu {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double z90 = 1.6448536269514722;

PredictedRows two_rows() { return {.mean = {1, -1}, .sigma_model = {2, 0.5}}; }

Calibration by_nll(double c_model, double c_noise) {
  return {.kind = CalibrationKind::nll, .c_model = c_model, .c_noise = c_noise, .rows = 10};
}

TEST(Bounds, SymmetricByHand) {
  const Bounds bounds = make_bounds(two_rows(), by_nll(3, 3), 0.9);
  EXPECT_EQ(bounds.rows(), 2U);
  EXPECT_THAT(bounds.lower, ElementsAre(DoubleNear(1 - 6 * z90, 1e-9), DoubleNear(-1 - 1.5 * z90, 1e-9)));
  EXPECT_THAT(bounds.upper, ElementsAre(DoubleNear(1 + 6 * z90, 1e-9), DoubleNear(-1 + 1.5 * z90, 1e-9)));
}

TEST(Bounds, NoiseAddsItsVariance) {
  PredictedRows rows = two_rows();
  rows.sigma_noise = {1.5, 0};
  const Bounds bounds = make_bounds(rows, by_nll(1, 1));
  EXPECT_THAT(bounds.lower, ElementsAre(1 - 2.5, -1.5));
  EXPECT_THAT(bounds.upper, ElementsAre(1 + 2.5, -0.5));
  EXPECT_NEAR(make_bounds(rows, by_nll(2, 2)).upper[0], 1 + 5.0, 1e-12);
  EXPECT_NEAR(make_bounds(rows, by_nll(0, 4)).upper[0], 1 + 6.0, 1e-12);
}

TEST(Bounds, AsymmetricWhereTheModelIs) {
  PredictedRows rows = two_rows();
  rows.sigma_below = {0.25, 4};
  rows.sigma_noise = {0, 3};
  const Bounds bounds = make_bounds(rows, by_nll(1, 1));
  EXPECT_THAT(bounds.lower, ElementsAre(0.75, -6));
  EXPECT_THAT(bounds.upper, ElementsAre(3, DoubleNear(-1 + std::hypot(0.5, 3.0), 1e-15)));
}

TEST(Bounds, IsotonicBoundsMayLieOnOneSideOfTheMean) {
  PredictedRows rows{.mean = {0}, .sigma_model = {2}};
  rows.sigma_below = {10};
  // Three residuals, all above: the quartiles at levels 1/4 and 3/4 are the outer two.
  const Calibration calibration{.kind = CalibrationKind::isotonic, .rows = 3, .knots = {1, 2, 4}};
  const Bounds bounds = make_bounds(rows, calibration, 0.5);
  EXPECT_THAT(bounds.lower, ElementsAre(DoubleNear(2, 1e-12)));
  EXPECT_THAT(bounds.upper, ElementsAre(DoubleNear(8, 1e-12)));
}

TEST(Bounds, OfAMemberOfAPrediction) {
  Prediction prediction;
  prediction.mean = Tensor<float>(2, 2, 1);
  prediction.sigma_model = Tensor<float>(2, 2, 1, 0.5F);
  prediction.mean(1, 0, 0) = 1.0F;
  prediction.sigma_model(1, 0, 0) = 2.0F;
  prediction.mean(1, 1, 0) = -1.0F;
  const Bounds of_member = make_bounds(prediction, 1, by_nll(3, 3), 0.9);
  const Bounds direct = make_bounds(two_rows(), by_nll(3, 3), 0.9);
  EXPECT_EQ(of_member.lower, direct.lower);
  EXPECT_EQ(of_member.upper, direct.upper);
  EXPECT_THAT(message_of([&] { return make_bounds(prediction, 2, by_nll(1, 1), 0.9); }),
              HasSubstr("[eval/calibration] member 2 of mean is not [2][1]: the tensor is [2][2][1]"));
  prediction.sigma_noise = Tensor<float>(2, 3, 1);
  EXPECT_THAT(message_of([&] { return make_bounds(prediction, 0, by_nll(1, 1), 0.9); }),
              HasSubstr("member 0 of sigma_noise is not [2][1]: the tensor is [2][3][1]"));
  prediction.sigma_model = {};
  EXPECT_THAT(message_of([&] { return predicted_rows(prediction); }), HasSubstr("the prediction has no sigma_model"));
  EXPECT_THAT(message_of([] { return predicted_rows({}); }), HasSubstr("the prediction is empty"));
}

/// Four rows in two folds; scores 1 2 3 4 of folds 0 1 0 1.
Calibration four_scores() {
  return {.kind = CalibrationKind::cross_conformal, .rows = 4, .scores = {1, 2, 3, 4}, .score_folds = {0, 1, 0, 1}};
}

TEST(Bounds, CrossValidationPlusByHand) {
  const std::vector<PredictedRows> models = {{.mean = {0, 5}, .sigma_model = {1, 1}},
                                             {.mean = {10, 5}, .sigma_model = {2, 1}}};
  // Row 0: lower ends -1, 6, -3, 2 and upper ends 1, 14, 3, 18. Level 0.8 takes the outermost of four, as
  // ceil(5 * 0.8) = 4; level 0.6 the second from outside.
  EXPECT_THAT(cross_bounds(models, four_scores(), 0.8).lower, ElementsAre(-3, 1));
  EXPECT_THAT(cross_bounds(models, four_scores(), 0.8).upper, ElementsAre(18, 9));
  EXPECT_THAT(cross_bounds(models, four_scores(), 0.6).lower, ElementsAre(-1, 2));
  EXPECT_THAT(cross_bounds(models, four_scores(), 0.6).upper, ElementsAre(14, 8));
  const Bounds low_level = cross_bounds(models, four_scores(), 0.05);
  EXPECT_LE(low_level.lower[0], low_level.upper[0]);

  Prediction folds;
  folds.mean = Tensor<float>(2, 1, 1);
  folds.sigma_model = Tensor<float>(2, 1, 1, 1.0F);
  folds.mean(1, 0, 0) = 10.0F;
  folds.sigma_model(1, 0, 0) = 2.0F;
  EXPECT_THAT(cross_bounds(folds, four_scores(), 0.8).upper, ElementsAre(18));
}

TEST(Bounds, FoldModelsMayBeAsymmetricAndScaled) {
  Calibration calibration = four_scores();
  calibration.c_model = 2.0;
  const std::vector<PredictedRows> models(2, {.mean = {0}, .sigma_model = {1}, .sigma_below = {0.5}});
  EXPECT_THAT(cross_bounds(models, calibration, 0.8).lower, ElementsAre(-4));
  EXPECT_THAT(cross_bounds(models, calibration, 0.8).upper, ElementsAre(8));
}

TEST(Bounds, RefusesWhatItCannotVouchFor) {
  EXPECT_EQ(
      message_of<ConfigError>([] { return make_bounds(two_rows(), {}, 0.95); }),
      "[eval/calibration] the prediction is not calibrated, so no bounds of level 0.95 can be given; calibrate it "
      "on rows that were not used for fitting");
  EXPECT_EQ(message_of<ConfigError>([] { return make_bounds(two_rows(), by_nll(1, 1), 1.5); }),
            "[eval/calibration] level must be in (0, 1), got 1.5");
  EXPECT_EQ(message_of<ConfigError>([] { return cross_bounds(std::vector<PredictedRows>{}, by_nll(1, 1), 0.9); }),
            "[eval/bounds] CV+ bounds need a calibration of kind 'cross_conformal', but this one is 'nll'");
  EXPECT_EQ(message_of([] { return cross_bounds(std::vector<PredictedRows>{two_rows()}, four_scores(), 0.8); }),
            "[eval/bounds] 1 fold models given, but the calibration has 2 folds");
  const std::vector<PredictedRows> uneven = {two_rows(), {.mean = {1}, .sigma_model = {1}}};
  EXPECT_EQ(message_of([&] { return cross_bounds(uneven, four_scores(), 0.8); }),
            "[eval/bounds] fold model 1 predicted 1 rows, but fold model 0 predicted 2");
  const std::vector<PredictedRows> even = {two_rows(), two_rows()};
  EXPECT_THAT(message_of<ConfigError>([&] { return cross_bounds(even, four_scores(), 0.95); }),
              HasSubstr("level 0.95 needs at least 19 calibration rows, but there are 4"));
  PredictedRows bad = two_rows();
  bad.sigma_model[1] = -1;
  EXPECT_THAT(message_of([&] { return make_bounds(bad, {}); }),
              HasSubstr("the sigma_model of row 1 (counted from 0) is -1; it must not be negative"));
  bad = two_rows();
  bad.sigma_noise = {1};
  EXPECT_THAT(message_of([&] { return make_bounds(bad, {}); }), HasSubstr("1 sigma_noise values given for 2 rows"));
  bad = two_rows();
  bad.sigma_below = {1, std::nan("")};
  EXPECT_THAT(message_of([&] { return make_bounds(bad, {}); }),
              HasSubstr("the sigma_below of row 1 (counted from 0) is nan"));
}

}  // namespace
}  // namespace nomu
