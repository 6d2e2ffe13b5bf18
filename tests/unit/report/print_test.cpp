#include "nomu/report/print.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace nomu {
namespace {

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(Print, TrialsSayWhatBecameOfThem) {
  const Trial finished{.id = 3, .point = {0.5, 1.0}, .state = TrialState::finished, .value = 2.25};
  EXPECT_EQ(printed(finished), "trial 3 at [0.5, 1]: finished, 2.25");
  const Trial failed{.id = 4, .point = {0.5}, .state = TrialState::failed, .reason = "timeout"};
  EXPECT_EQ(printed(failed), "trial 4 at [0.5]: failed (timeout)");
  EXPECT_EQ(printed(StudyStatus{.trials = 2, .finished = 1, .failed = 1, .best_result = finished}),
            "2 trials: 1 finished, 1 failed, 0 pending; best result trial 3 at [0.5, 1]: finished, 2.25");
}

TEST(Print, OptimaAreShort) {
  const Optimum best{.point = {1.0, 2.0}, .value = -3.5, .trials = std::vector<Trial>(40)};
  EXPECT_EQ(printed(best), "-3.5 at [1, 2] after 40 trials");
}

TEST(Print, SpacesNameTheirVariables) {
  const Space space({{.name = "temperature", .low = 20.0, .high = 90.0, .unit = "K"},
                     {.name = "rate", .kind = Variable::Kind::integer, .low = 1.0, .high = 8.0, .log = true},
                     {.name = "solver", .kind = Variable::Kind::categorical, .choices = {"cg", "lu"}}});
  EXPECT_EQ(printed(space), "temperature from 20 to 90 K; rate from 1 to 8, whole, logarithmic; solver of cg, lu");
  EXPECT_EQ(printed(space.variables()[0]), "temperature from 20 to 90 K");
}

TEST(Print, ConstraintsAreInequalities) {
  EXPECT_EQ(printed(LinearConstraint{.terms = {{"a", 1.0}, {"b", -2.5}}, .at_least = 0.0, .at_most = 4.0}),
            "0 <= 1 a + -2.5 b <= 4");
  EXPECT_EQ(printed(LinearConstraint{.terms = {{"a", 1.0}}, .at_most = 4.0}), "1 a <= 4");
}

TEST(Print, PredictionsSayTheirShape) {
  Prediction prediction;
  prediction.mean = Tensor<float>(1, 2, 1);
  prediction.sigma_model = Tensor<float>(1, 2, 1);
  prediction.mean(0, 0, 0) = 1.5F;
  prediction.sigma_model(0, 0, 0) = 0.25F;
  EXPECT_EQ(printed(prediction), "prediction of 2 rows by 1 member, the first 1.5 +- 0.25");
  EXPECT_EQ(printed(Prediction{}), "prediction of 0 rows by 0 members");
}

TEST(Print, PredictedRowsShowTheFirst) {
  EXPECT_EQ(printed(PredictedRows{.mean = {1.5, 2.0}, .sigma_model = {0.25, 0.5}}),
            "2 predicted rows, the first 1.5 +- 0.25");
  EXPECT_EQ(printed(PredictedRows{.mean = {1.5}, .sigma_model = {0.25}, .sigma_noise = {0.125}}),
            "1 predicted row, the first 1.5 +- 0.25, noise 0.125");
  EXPECT_EQ(printed(PredictedRows{}), "0 predicted rows");
}

TEST(Print, MetricsAndEnginesAreOneLine) {
  EXPECT_EQ(printed(MetricsReport{.rows = 10, .rmse = 0.5, .nll = 1.25, .crps = 0.125, .sharpness = 2.0}),
            "10 rows: RMSE 0.5, NLL 1.25, CRPS 0.125, sharpness 2");
  EXPECT_EQ(
      printed(EngineInfo{
          .name = "cuda", .provider = "tiles", .isa = "none", .device = {}, .available = false, .note = "no GPU"}),
      "cuda (tiles, none, 1 thread, fp32), not available: no GPU");
}

}  // namespace
}  // namespace nomu
