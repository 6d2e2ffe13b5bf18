#include "nomu/bo/proposal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bo/search/success_model.hpp"
#include "message_of.hpp"
#include "nomu/core/random.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {
namespace {

/// Members whose mean has its top at a place of their own and whose sigma is the same everywhere.
class Hills : public FittedCohort {
 public:
  Hills(std::vector<float> tops, float sigma) : tops_(std::move(tops)), sigma_(sigma), reports_(tops_.size()) {}
  [[nodiscard]] std::size_t members() const override { return tops_.size(); }
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }
  [[nodiscard]] FittedState state() const override { return {}; }
  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const override {
    std::vector<float> tops;
    for (const std::size_t m : members) tops.push_back(tops_[m]);
    return std::make_unique<Hills>(tops, sigma_);
  }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    Prediction p{.mean = Tensor<float>(members(), x.rows(), 1),
                 .sigma_model = Tensor<float>(members(), x.rows(), 1, sigma_),
                 .sigma_noise = {},
                 .sigma_below = {}};
    for (std::size_t m = 0; m < members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) {
        for (const float v : x.row(x.members() == 1 ? 0 : m, i)) p.mean(m, i, 0) -= (v - tops_[m]) * (v - tops_[m]);
      }
    }
    return p;
  }

 protected:
  [[nodiscard]] float top(std::size_t m) const { return tops_[m]; }

 private:
  std::vector<float> tops_;
  float sigma_;
  std::vector<FitReport> reports_;
};

class SlopedHills final : public Hills {
 public:
  using Hills::Hills;
  [[nodiscard]] std::optional<PredictionSlopes> slopes(const Tensor<float>& x) const override {
    PredictionSlopes s{.mean = x, .sigma_model = Tensor<float>(x.members(), x.rows(), x.cols())};
    for (std::size_t m = 0; m < members(); ++m) {
      for (float& v : s.mean.member(m)) v = -2.0F * (v - top(m));
    }
    return s;
  }
};

TEST(Proposal, EveryRunGetsItsOwnTop) {
  const Space space = Space::box(2, -1.0, 1.0);
  const Hills models({0.25F, -0.5F, 0.9F}, 0.1F);
  const std::vector<Proposal> found =
      propose(models, space, std::vector<RunKnowledge>(3), {.direct = {.evaluations = 600}});
  EXPECT_NEAR(found[0].point[0], 0.25, 0.01);
  EXPECT_NEAR(found[1].point[1], -0.5, 0.01);
  EXPECT_NEAR(found[2].point[0], 0.9, 0.01);
  EXPECT_NEAR(found[0].value, 0.1, 1e-3);
}

TEST(Proposal, RefinementFindsTheTopExactly) {
  const Space space = Space::box(4, -1.0, 1.0);
  for (const bool slopes : {true, false}) {
    const Hills flat({0.31F, -0.57F}, 0.0F);
    const SlopedHills sloped({0.31F, -0.57F}, 0.0F);
    const FittedCohort& models = slopes ? static_cast<const FittedCohort&>(sloped) : flat;
    const ProposalSpec coarse{.direct = {.evaluations = 100}};
    ProposalSpec local = coarse;
    local.local_starts = 5;
    local.local_steps = 40;
    const std::vector<RunKnowledge> runs(2);
    const auto plain = propose(models, space, runs, coarse);
    const auto refined = propose(models, space, runs, local);
    for (std::size_t m = 0; m < 2; ++m) {
      EXPECT_GE(refined[m].value, plain[m].value);
      EXPECT_NEAR(refined[m].value, 0.0, 1e-5) << "slopes " << slopes;
    }
  }
}

TEST(Proposal, DynamicCDoublesWhileTooNear) {
  const Space space = Space::box(1, -1.0, 1.0);
  const Hills models({0.0F}, 0.1F);  // the same sigma everywhere: c does not help
  RunKnowledge run{.c = 1.0, .delta = 0.05, .finished = {0.01}};
  const auto found =
      propose(models, space, std::span(&run, 1), {.direct = {.evaluations = 100}, .dynamic = {.doublings = 4}});
  EXPECT_EQ(found[0].doublings, 4);
  EXPECT_DOUBLE_EQ(found[0].c, 16.0);
  run.delta = 0.001;
  EXPECT_EQ(propose(models, space, std::span(&run, 1), {.direct = {.evaluations = 100}})[0].doublings, 0);
}

TEST(Proposal, ThreadsAndLookingAheadChangeNothing) {
  const Space space = Space::box(2, -1.0, 1.0);
  const SlopedHills models({0.0F, 0.2F, -0.3F, 0.8F}, 0.1F);
  std::vector<RunKnowledge> runs(4, {.c = 0.5, .delta = 0.01});
  runs[0].finished = {0.0, 0.0};  // always too close
  runs[2].finished = {-0.3, -0.3};
  runs[2].pending = {0.3, 0.3};
  runs[2].delta = 0.1;
  const ProposalSpec plain{.direct = {.evaluations = 200}, .dynamic = {.doublings = 6}, .local_starts = 2};
  ProposalSpec other = plain;
  other.threads = 3;
  other.look_ahead = true;
  const auto expected = propose(models, space, runs, plain);
  const auto found = propose(models, space, runs, other);
  EXPECT_EQ(expected[0].doublings, 6);
  EXPECT_EQ(expected[1].doublings, 0);
  for (std::size_t m = 0; m < runs.size(); ++m) {
    EXPECT_EQ(found[m].point, expected[m].point) << m;
    EXPECT_EQ(found[m].c, expected[m].c) << m;
    EXPECT_EQ(found[m].doublings, expected[m].doublings) << m;
    EXPECT_EQ(found[m].value, expected[m].value) << m;
  }
}

TEST(Proposal, PendingPointsAreAvoided) {
  const Space space = Space::box(1, -1.0, 1.0);
  const Hills models({0.0F}, 2.0F);
  const RunKnowledge run{.c = 1.0, .pending = {0.0}};
  const auto found =
      propose(models, space, std::span(&run, 1), {.direct = {.evaluations = 200}, .dynamic = {.doublings = 0}});
  EXPECT_GT(std::abs(found[0].point[0]), 0.2);
}

TEST(Proposal, AFiniteSpaceIsUsedUpWithoutRepeats) {
  const Space space({{.name = "n", .kind = Variable::Kind::integer, .low = 0, .high = 4},
                     {.name = "k", .kind = Variable::Kind::categorical, .choices = {"a", "b"}}});
  const Hills models({0.3F}, 0.1F);
  RunKnowledge run;
  std::set<Point> seen;
  for (int i = 0; i < 10; ++i) {
    const auto found = propose(models, space, std::span(&run, 1), {});
    ASSERT_FALSE(found[0].point.empty());
    EXPECT_TRUE(seen.insert(found[0].point).second);
    const std::vector<double> inputs = space.to_inputs(found[0].point);
    run.finished.insert(run.finished.end(), inputs.begin(), inputs.end());
  }
  EXPECT_TRUE(propose(models, space, std::span(&run, 1), {})[0].point.empty());
  run.repeats = true;
  EXPECT_FALSE(propose(models, space, std::span(&run, 1), {})[0].point.empty());
}

TEST(Proposal, FailuresWeighTheirNeighbourhoodDown) {
  const std::vector<double> finished{0.5, 0.5, 0.9, -0.3};
  const std::vector<double> failed{-0.5, 0.5, -0.9, -0.8};
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  const Space space = Space::box(2, -1.0, 1.0);
  const RunKnowledge run{
      .worst = -5.0, .finished = finished, .failed = failed, .success = fit_success(finished, failed, 2, *engine, {})};
  const auto found = propose(Hills({-0.5F}, 0.1F), space, std::span(&run, 1), {.direct = {.evaluations = 400}});
  EXPECT_GT(found[0].point[0], -0.2);
}

TEST(SuccessModel, SeesABorderAndTakesChanceForNoise) {
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  Random random(1);
  std::vector<double> good;
  std::vector<double> bad;
  std::vector<double> lucky;
  std::vector<double> unlucky;
  for (int i = 0; i < 90; ++i) {
    const std::vector<double> x{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
    std::vector<double>& by_side = x[1] > 0.2 ? bad : good;
    by_side.insert(by_side.end(), x.begin(), x.end());
    std::vector<double>& by_chance = i % 9 == 0 ? unlucky : lucky;
    by_chance.insert(by_chance.end(), x.begin(), x.end());
  }
  const auto chance = [&](const FittedCohort& model, float x, float y, float z) {
    Tensor<float> at(1, 1, 3);
    at(0, 0, 0) = x;
    at(0, 0, 1) = y;
    at(0, 0, 2) = z;
    const Prediction p = model.predict(at);
    return success_probability(static_cast<double>(p.mean(0, 0, 0)), static_cast<double>(p.sigma_model(0, 0, 0)));
  };
  const auto border = fit_success(good, bad, 3, *engine, {});
  const auto noise = fit_success(lucky, unlucky, 3, *engine, {});
  for (const float x : {-0.9F, 0.0F, 0.9F}) {
    EXPECT_GT(chance(*border, x, -0.5F, x), 0.8);
    EXPECT_LT(chance(*border, x, 0.6F, -x), 0.2);
  }
  double sum = 0.0;
  for (int i = 0; i < 200; ++i) {
    const auto draw = [&] { return static_cast<float>(random.uniform(-1.0, 1.0)); };
    sum += chance(*noise, draw(), draw(), draw());
  }
  EXPECT_GT(sum / 200.0, 0.5);
  EXPECT_EQ(fit_success(good, {}, 3, *engine, {}), nullptr);
  EXPECT_EQ(success_probability(2.0, 0.1), 1.0);
  EXPECT_EQ(success_probability(-0.5, 3.0), 0.0);
}

TEST(Proposal, WrongCountsAreNamed) {
  EXPECT_THAT(message_of([] { return propose(Hills({0.0F}, 1.0F), Space::box(1, 0.0, 1.0), {}, {}); }),
              testing::HasSubstr("0 runs for 1 fitted models"));
}

}  // namespace
}  // namespace nomu
