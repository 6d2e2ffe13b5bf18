#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bo/search/suggester.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

TEST(Study, VerifyRecomputesEverySuggestion) {
  Study study(Space::box(2, -1.0, 1.0), quick(), one_thread());
  advance(study, 6);
  for (const Trial& trial : study.ask(3)) {
    if (trial.id != 8) study.tell(trial, bowl(trial.point));
  }
  study.fail(8, "lost");
  advance(study, 2);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.suggestions, 11);
  EXPECT_EQ(report.exact, 11);
  EXPECT_EQ(report.trials, 11);
}

/// A result that is withdrawn and told again comes after all others.
TEST(Study, VerifyFollowsTheOrderOfResults) {
  OptimizeSpec spec = quick();
  spec.fit_rows = 8;  // so that the order decides which results are fitted
  Study study(Space::box(2, -1.0, 1.0), spec, one_thread());
  advance(study, 9);
  study.fail(2, "wrong", true);
  advance(study, 1);
  study.tell(2, 0.5, true);
  study.tell(3, 0.25, true);
  advance(study, 2);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 12);
}

TEST_F(StudyFiles, VerifyHoldsOnAnotherEngine) {
  const auto other = std::shared_ptr<Engine>(make_engine({.device = "reference"}));
  OptimizeSpec spec = quick();
  std::int64_t suggestions = 0;
  std::int64_t apart = 0;
  for (spec.seed = 1; spec.seed <= 4; ++spec.seed) {
    const std::filesystem::path path = file().string() + std::to_string(spec.seed);
    Study study = Study::create(path, Space::box(2, -1.0, 1.0), spec, one_thread());
    advance(study, 7);
    for (const Trial& trial : study.ask(3)) study.tell(trial, bowl(trial.point));
    const VerifyReport report = Study::open(path, StudyAccess::read, other).verify();
    EXPECT_TRUE(report.clean()) << report.problems.front();
    EXPECT_EQ(report.exact + report.near + report.as_good, 10);
    suggestions += report.suggestions;
    apart += report.near + report.as_good;
  }
  EXPECT_EQ(suggestions, 40);
  EXPECT_GT(apart, 0);
}

TEST(Suggester, SaysHowMuchBetterItsPointIs) {
  OptimizeSpec spec = quick();
  Suggester suggester(Space::box(2, -1.0, 1.0), spec, one_thread());
  History history{.trials = 6, .finished = 6};
  for (int i = 0; i < 6; ++i) {
    history.points.push_back({std::cos(i), std::sin(2.0 * i)});
    history.values.push_back(bowl(history.points.back()));
  }
  const auto none = [](const Point&) { return false; };
  const std::vector<Suggestion> found = suggester.suggest(history, 1, none, {});
  ASSERT_EQ(found.front().origin, "model");
  EXPECT_NEAR(suggester.shortfall(history, found.front().point, "model", {}), 0.0, 1e-6);
  int better = 0;
  for (const Point& point : {Point{-1.0, -1.0}, Point{-1.0, 1.0}, Point{1.0, -1.0}, Point{1.0, 1.0}}) {
    better += suggester.shortfall(history, point, "model", {}) > 0.02 ? 1 : 0;
  }
  EXPECT_GE(better, 2);  // corners a bowl's bottom is far from
}

}  // namespace
}  // namespace nomu
