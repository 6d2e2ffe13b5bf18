// Costs that are told with results: kept, verified, and heeded.

#include <gtest/gtest.h>

#include <cmath>

#include "bo/surrogate/cost_model.hpp"
#include "message_of.hpp"
#include "nomu/bo/trial_io.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// Ten times as expensive where x1 is above 0; two equal optima, at -0.5 and 0.5.
double cost_of(const Point& p) { return p[0] > 0.0 ? 10.0 : 1.0; }
double value_of(const Point& p) { return std::pow(std::abs(p[0]) - 0.5, 2) + 0.2 * std::sin(5.0 * p[1]) + p[1] * p[1]; }

double spent_on(bool told) {
  double all = 0.0;
  for (std::int64_t seed = 1; seed <= 3; ++seed) {
    OptimizeSpec spec;
    spec.seed = seed;
    Study study(Space::box(2, -1.0, 1.0), spec, one_thread());
    for (int i = 0; i < 24; ++i) {
      const Trial trial = study.ask();
      if (i >= 8) all += cost_of(trial.point);
      study.tell({{.id = trial.id,
                   .value = value_of(trial.point),
                   .cost = told ? std::optional(cost_of(trial.point)) : std::nullopt}});
    }
  }
  return all;
}

TEST(Costs, PointsThatPromiseMoreForLessArePreferred) { EXPECT_LT(spent_on(true), 0.7 * spent_on(false)); }

TEST_F(StudyFiles, CostsAreKeptAndVerified) {
  Study study = Study::create(file(), Space::box(2, -1.0, 1.0), {}, one_thread());
  for (int i = 0; i < 12; ++i) {
    const Trial trial = study.ask();
    const std::optional<double> cost = i % 3 == 0 ? std::nullopt : std::optional(cost_of(trial.point));
    study.tell({{.id = trial.id, .value = value_of(trial.point), .cost = cost}});
  }
  study.tell({{.point = {0.1, 0.2}, .value = 0.5, .cost = 3.0}});
  study.tell({{.id = 2, .value = 0.75, .cost = 2.5}}, Repeated::replace);
  study.tell({{.id = 3, .value = 0.25}}, Repeated::replace);
  for (int i = 0; i < 3; ++i) {
    const Trial trial = study.ask();
    study.tell(trial, value_of(trial.point));
  }
  const Study again = Study::open(file(), StudyAccess::read, one_thread());
  EXPECT_FALSE(again.trial(1).cost);
  EXPECT_EQ(again.trial(2).cost, 2.5);
  EXPECT_EQ(again.trials()[2].cost, cost_of(again.trials()[2].point));  // a corrected result cost what it cost
  EXPECT_EQ(again.trials()[12].cost, 3.0);
  EXPECT_THAT(trial_to_json(again.space(), again.trial(2)), HasSubstr(R"("cost":2.5)"));
  EXPECT_TRUE(trials_table(again.space(), again.trials()).has_column("cost"));
  const VerifyReport report = again.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 15);
}

TEST(Costs, WrongOnesAreRefused) {
  Study study(Space::box(1, -1.0, 1.0), {}, one_thread());
  const Trial trial = study.ask();
  const auto refused = [&](const TrialResult& result) {
    return message_of<DataError>([&] { return study.tell({result}); });
  };
  EXPECT_THAT(refused({.id = trial.id, .value = 1.0, .cost = 0.0}),
              HasSubstr("a cost must be a finite number above 0, got 0"));
  EXPECT_THAT(refused({.id = trial.id, .reason = "broke", .cost = 1.0}), HasSubstr("a failure has none"));
  EXPECT_THAT(message_of<DataError>(
                  [&] { return result_from_json(study.space(), R"({"id": 1, "value": 2, "cost": "much"})"); }),
              HasSubstr("cost must be a number"));
}

TEST(Costs, AModelOfThemHasTheSlopesOfItsValues) {
  const Space space = Space::box(2, -1.0, 1.0);
  const std::vector<Point> points = initial_design(space, DesignKind::sobol, 12, 3);
  std::vector<double> costs;
  costs.reserve(points.size());
  for (const Point& p : points) costs.push_back(std::exp(2.0 * p[0] - p[1]));
  costs[4] = 0.0;  // not told
  const auto model = learn_cost(space, points, costs);
  ASSERT_TRUE(model);
  const std::vector<double> x{0.2, -0.3};
  EXPECT_NEAR(model->log_at(x), 0.7, 0.3);
  std::vector<double> slopes(2);
  (void)model->log_at(x, slopes);
  constexpr double step = 1e-5;
  const std::vector<double> up{x[0] + step, x[1]};
  const std::vector<double> down{x[0] - step, x[1]};
  EXPECT_NEAR(slopes[0], (model->log_at(up) - model->log_at(down)) / (2.0 * step), 1e-4);
  EXPECT_FALSE(learn_cost(space, points, std::vector<double>(12, 2.0)));
}

}  // namespace
}  // namespace nomu
