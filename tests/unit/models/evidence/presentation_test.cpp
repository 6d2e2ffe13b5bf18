#include "models/evidence/presentation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

/// One number with a few values far from the others, and a target of it.
template <class Target>
DataSet heavy_tailed(std::size_t rows, Target target) {
  Random random(4);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    inputs.push_back(random.normal() * (i % 20 == 0 ? 40.0 : 1.0));
    targets.push_back(target(inputs.back()) + 0.1 * random.normal());
  }
  return make_dataset(inputs, 1, targets);
}

/// The usual presentation.
Presentation usual(const DataSet& data, const Scaling& inputs) {
  return presentations_of({}, data, inputs, 1, 2).front();
}

Scaling robust(const DataSet& data) { return fit_scaling(data.inputs, data.cols(), ScalingKind::robust); }

bool has_effect(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, [](const Step& step) { return step.width > 0.0; });
}

TEST(Presentation, FarNumbersActInProportionWhereTheTargetFollowsThem) {
  const DataSet data = heavy_tailed(400, [](double x) { return 2.0 * x; });
  const Scaling near = robust(data);
  EXPECT_GT(usual(data, near).inputs.reach, 10.0 * near.reach);
}

TEST(Presentation, FarNumbersAreDrawnInWhereTheTargetDoesNot) {
  const DataSet data = heavy_tailed(400, [](double x) { return std::tanh(x); });
  const Scaling near = robust(data);
  EXPECT_EQ(usual(data, near).inputs.reach, near.reach);
}

TEST(Presentation, AGivenScalingWithoutReachIsKept) {
  const DataSet data = heavy_tailed(100, [](double x) { return x; });
  const Scaling given = fit_scaling(data.inputs, 1, ScalingKind::standardise);
  EXPECT_EQ(usual(data, given).inputs, given);
}

TEST(Presentation, StepsServeCurvesAndNotLines) {
  const DataSet curve = heavy_tailed(400, [](double x) { return std::sin(2.0 * x); });
  EXPECT_TRUE(has_effect(usual(curve, robust(curve)).steps));
  const DataSet line = heavy_tailed(400, [](double x) { return x; });
  const Presentation straight = usual(line, robust(line));
  EXPECT_FALSE(has_effect(straight.steps));
  EXPECT_EQ(straight.steps.size(), 8U);  // all data sets have as many inputs
}

TEST(Presentation, PlainNumbersAreWorthTryingToo) {
  const DataSet data = heavy_tailed(400, [](double x) { return std::sin(2.0 * x); });
  const std::vector<Presentation> both = presentations_of({}, data, robust(data), 1, 2);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].inputs.straight, 0.0);
  EXPECT_FALSE(has_effect(both[1].steps));
  EXPECT_EQ(both[1].steps.size(), both[0].steps.size());
  EXPECT_EQ(both[1].rows.cols(), both[0].rows.cols());
  EXPECT_EQ(both[1].inputs.straight, 3.0);
  // Three deviations of the data are as far apart as they are.
  const std::vector<double> shown = both[1].inputs.apply(data.inputs);
  const Scaling& scaling = both[1].inputs;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double z = (data.inputs[i] - scaling.shift[0]) / scaling.factor[0];
    if (std::abs(z) <= 3.0) {
      EXPECT_EQ(shown[i], z);
    }
  }
}

TEST(Presentation, OneIsEnoughForLargeTablesAndThoseWithTimes) {
  DataSet data = heavy_tailed(400, [](double x) { return std::sin(2.0 * x); });
  EvidenceSpec spec;
  spec.most_rows = 300;
  EXPECT_EQ(presentations_of(spec, data, robust(data), 1, 2).size(), 1U);
  for (std::size_t i = 0; i < data.rows(); ++i) data.times.push_back(static_cast<double>(i));
  EXPECT_EQ(presentations_of({}, data, robust(data), 1, 2).size(), 1U);
}

/// Months, which rise with time, and a temperature.
DataSet season(bool month_matters) {
  Random random(7);
  std::vector<double> inputs;
  std::vector<double> targets;
  std::vector<double> times;
  for (std::size_t i = 0; i < 300; ++i) {
    const double month = std::floor(static_cast<double>(i) / 25.0);
    const double temperature = random.normal();
    inputs.insert(inputs.end(), {month, temperature});
    // What seems to grow with the months may end.
    targets.push_back(temperature + (month_matters || i < 240 ? 0.3 * month : 0.0));
    times.push_back(static_cast<double>(i));
  }
  DataSet data = make_dataset(inputs, 2, targets);
  data.times = times;
  return data;
}

TEST(Presentation, ANumberThatOnlyTellsTheTimeIsLeftOut) {
  const DataSet data = season(false);
  const std::vector<double> shown = usual(data, robust(data)).inputs.apply(data.inputs);
  for (std::size_t i = 0; i < data.rows(); ++i) EXPECT_NEAR(shown[2 * i], 0.0, 1e-300);
  EXPECT_GT(std::abs(shown[1]), 0.0);
}

TEST(Presentation, ATrendOverTimeIsKept) {
  const DataSet data = season(true);
  const Scaling near = robust(data);
  EXPECT_EQ(usual(data, near).inputs.factor, near.factor);
}

}  // namespace
}  // namespace nomu
