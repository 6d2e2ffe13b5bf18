#include "models/network/train.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/backend.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/nomu.hpp"
#include "small_problems.hpp"

namespace nomu {
namespace {

/// The CPU engine, as if there were room for two members only.
class Cramped final : public engine::Backend {
 public:
  explicit Cramped(int& sessions) : sessions_(sessions) {}
  [[nodiscard]] EngineInfo info() const override { return roomy_->info(); }
  [[nodiscard]] std::size_t memory_needed(const engine::TrainPlan& plan) const override {
    return engine::backend(*roomy_).memory_needed(plan);
  }
  [[nodiscard]] std::size_t members_at_once(const engine::TrainPlan& plan) const override {
    return std::min<std::size_t>(2, plan.members());
  }
  [[nodiscard]] std::unique_ptr<engine::Session> open(const engine::TrainPlan& plan) override {
    EXPECT_LE(plan.members(), 2U);
    ++sessions_;
    return engine::backend(*roomy_).open(plan);
  }
  [[nodiscard]] Tensor<float> predict(const engine::Networks& networks, const Tensor<float>& parameters,
                                      const Tensor<float>& x, const engine::DropoutPass& dropout,
                                      const std::vector<std::uint64_t>& seeds) override {
    return engine::backend(*roomy_).predict(networks, parameters, x, dropout, seeds);
  }

 private:
  int& sessions_;
  std::unique_ptr<Engine> roomy_ = make_engine({.device = "cpu"});
};

TEST(Train, MembersThatDoNotFitAtOnceAreTrainedInPartsAndComeOutTheSame) {
  NomuSpec spec = quick_spec();
  spec.train.epochs = 40;
  const Cohort cohort = line_of_points({1, 2, 3, 4, 5});
  int sessions = 0;
  Engine cramped(std::make_unique<Cramped>(sessions));
  const auto in_parts = fit(spec, cohort, cramped);
  EXPECT_GE(sessions, 3);
  const auto roomy = make_engine({.device = "cpu"});
  const auto at_once = fit(spec, cohort, *roomy);

  const Prediction parts = in_parts->predict(line_probes());
  const Prediction whole = at_once->predict(line_probes());
  EXPECT_TRUE(std::ranges::equal(parts.mean.flat(), whole.mean.flat()));
  EXPECT_TRUE(std::ranges::equal(parts.sigma_model.flat(), whole.sigma_model.flat()));
  ASSERT_EQ(in_parts->reports().size(), 5U);
  for (std::size_t m = 0; m < 5; ++m) EXPECT_EQ(in_parts->reports()[m].history, at_once->reports()[m].history);
}

TEST(Train, TheVerdictOnAMemberDoesNotDependOnItsCohort) {
  NomuSpec spec = quick_spec();
  spec.stages = Stages::joint;
  spec.train.epochs = 200;
  Cohort cohort = line_of_points({1, 2, 3, 4});
  // Two values at the same place: it learns, but ends far above the others.
  cohort.x(2, 1, 0) = cohort.x(2, 0, 0);
  cohort.y(2, 1, 0) = -cohort.y(2, 0, 0);
  const auto engine = make_engine({.device = "cpu"});
  const auto together = fit(spec, cohort, *engine);
  double others = 0.0;
  for (std::size_t m = 0; m < 4; ++m) {
    SCOPED_TRACE(m);
    const FitReport& report = together->reports()[m];
    if (m != 2) others = std::max(others, report.best_loss);
    Cohort single = line_of_points({m + 1});
    std::ranges::copy(cohort.x.member(m), single.x.member(0).begin());
    std::ranges::copy(cohort.y.member(m), single.y.member(0).begin());
    const FitReport alone = fit(spec, single, *engine)->reports()[0];
    EXPECT_FALSE(report.diverged);
    EXPECT_EQ(alone.diverged, report.diverged);
    EXPECT_EQ(alone.restarts, report.restarts);
    EXPECT_EQ(alone.history, report.history);
  }
  EXPECT_GT(together->reports()[2].best_loss, 100.0 * others);
}

}  // namespace
}  // namespace nomu
