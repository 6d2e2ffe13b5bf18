// Same seed, same bytes: whatever the cohort, the threads, the padding, the pauses and the neighbours.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "conformance/engines.hpp"
#include "conformance/image_cases.hpp"
#include "conformance/same_bytes.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/session.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::testing {
namespace {

class Invariance : public OnEveryEngine {};

/// Member m of a plan as a plan of its own.
TrainPlan only(const TrainPlan& plan, std::size_t m) { return select(plan, std::span(&m, 1)); }

/// Member m of one run and member n of another.
void expect_same_member(const Session& many, std::size_t m, const Session& few, std::size_t n = 0) {
  const Tensor<float> a = many.parameters();
  const Tensor<float> b = few.parameters();
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_EQ(std::memcmp(a.member(m).data(), b.member(n).data(), a.cols() * sizeof(float)), 0) << "parameters differ";
  EXPECT_EQ(many.reports()[m], few.reports()[n]) << "losses differ";
}

void expect_same_outputs(const Tensor<float>& a, const Tensor<float>& b, std::size_t m) {
  ASSERT_EQ(a.member(m).size(), b.member(m).size());
  EXPECT_EQ(std::memcmp(a.member(m).data(), b.member(m).data(), a.member(m).size_bytes()), 0) << "outputs differ";
}

TEST_P(Invariance, AMemberOfAnyCohortEqualsItsOwnFit) {
  for (const Case& c : cases_of(GetParam().device)) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const auto many = backend_->open(plan);
    many->run(6, {});
    for (std::size_t m = 0; m < plan.members(); ++m) {
      const auto one = backend_->open(only(plan, m));
      one->run(6, {});
      expect_same_member(*many, m, *one);
    }
  }
}

TEST_P(Invariance, SixtyFourMembersWideNetworks) {
  const TrainPlan plan = nomu_plan({.members = 64, .rows = 8, .inputs = 1, .hidden = {280, 320, 256}},
                                   Gradient::coupled, LossKind::nomu, 40);
  const auto many = backend_->open(plan);
  many->run(16, {});
  for (const std::size_t m : {std::size_t{0}, std::size_t{31}, std::size_t{63}}) {
    const auto one = backend_->open(only(plan, m));
    one->run(16, {});
    expect_same_member(*many, m, *one);
  }
}

/// Cohorts of these sizes are cut in different ways.
TEST_P(Invariance, CohortsOfSeveralSizesWithManyRows) {
  const TrainPlan plan =
      nomu_plan({.members = 40, .rows = 12, .inputs = 2, .hidden = {256, 256}}, Gradient::stopped, LossKind::nomu, 290);
  const auto many = backend_->open(plan);
  many->run(3, {});
  const Tensor<float> x = base_plan({.members = 1, .rows = 250}).x;
  const Tensor<float> all_outputs = many->forward(x, {});
  for (const std::size_t size : {1, 2, 5, 10}) {
    SCOPED_TRACE(size);
    std::vector<std::size_t> first(size);
    std::iota(first.begin(), first.end(), 0);
    const auto few = backend_->open(select(plan, first));
    few->run(3, {});
    expect_same_member(*many, size - 1, *few, size - 1);
    const Tensor<float> outputs = few->forward(x, {});
    expect_same_outputs(all_outputs, outputs, size - 1);
  }
}

/// Rows beyond some number share the heads' work in another way; wide heads have all of its parts.
TEST_P(Invariance, WideHeadsWithManyRows) {
  TrainPlan plain = base_plan({.members = 40, .rows = 210, .inputs = 2, .hidden = {900}});
  TrainPlan masked = plain;
  masked.networks.nets[0].activation = Activation::tanh;
  masked.networks.nets[0].dropout = 0.3F;
  for (const TrainPlan& plan : {plain, masked}) {
    const auto many = backend_->open(plan);
    many->run(2, {});
    const auto one = backend_->open(only(plan, 0));
    one->run(2, {});
    expect_same_member(*many, 0, *one);
    expect_same_outputs(many->forward(plan.x, {}), one->forward(only(plan, 0).x, {}), 0);
  }
}

TEST_P(Invariance, AnyNumberOfThreads) {
  if (GetParam().device != "cpu") GTEST_SKIP() << "threads are the CPU engine's";
  for (const Case& c : cases_of(GetParam().device)) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    std::vector<Tensor<float>> results;
    for (const std::size_t threads : {1, 2, 3, 8, 16}) {
      const auto backend = cpu::make(GetParam(), threads);
      const auto session = backend->open(plan);
      session->run(4, {});
      results.push_back(session->parameters());
      EXPECT_EQ(results.front(), results.back()) << threads << " threads";
    }
  }
}

/// Cohorts that are divided among threads in every way: members side by side, in several crews, and all threads on one.
TEST_P(Invariance, AnyDivisionOfTheThreads) {
  if (GetParam().device != "cpu") GTEST_SKIP() << "threads are the CPU engine's";
  const Tensor<float> x = base_plan({.members = 1, .rows = 700}).x;
  const Tensor<float> few = base_plan({.members = 1, .rows = 5}).x;
  for (const std::size_t members : {1, 2, 5, 21}) {
    SCOPED_TRACE(members);
    // Wide enough for several pieces in every phase; the batches leave a smaller one at the end.
    TrainPlan plan = nomu_plan({.members = members, .rows = 50, .inputs = 2, .hidden = {300, 270}}, Gradient::coupled,
                               LossKind::nomu, 60);
    plan.train.batch_size = 20;
    plan.clip_norm = 0.5F;
    std::vector<Tensor<float>> results;
    std::vector<Tensor<float>> outputs;
    std::vector<Tensor<float>> of_few;
    for (const std::size_t threads : {1, 2, 3, 8, 16}) {
      const auto backend = cpu::make(GetParam(), threads);
      const auto session = backend->open(plan);
      session->run(1, {});
      session->run(3, {});
      of_few.push_back(session->forward(few, {}));
      EXPECT_EQ(of_few.front(), of_few.back()) << threads << " threads, few rows";
      results.push_back(session->parameters());
      outputs.push_back(session->forward(x, {}));
      EXPECT_EQ(results.front(), results.back()) << threads << " threads";
      EXPECT_EQ(outputs.front(), outputs.back()) << threads << " threads";
    }
  }
}

TEST_P(Invariance, SharedRowsEqualCopiesOfThem) {
  if (!backend_->shares_rows()) GTEST_SKIP() << "this engine takes rows for every member or for all";
  const TrainPlan plan = nomu_plan({.members = 6, .rows = 70, .hidden = {140}}, Gradient::stopped);
  const auto session = backend_->open(plan);
  session->run(2, {});
  Tensor<float> shared(3, 70, plan.x.cols());
  Tensor<float> copies(6, 70, plan.x.cols());
  for (std::size_t m = 0; m < 6; ++m) {
    std::ranges::copy(plan.x.member(m / 2), shared.member(m / 2).begin());
    std::ranges::copy(plan.x.member(m / 2), copies.member(m).begin());
  }
  const auto predict = [&](const Tensor<float>& x) {
    return backend_->predict(plan.networks, session->parameters(), x, {}, {});
  };
  EXPECT_EQ(predict(shared), predict(copies));
  EXPECT_THROW((void)predict(Tensor<float>(4, 70, plan.x.cols())), ConfigError) << "4 does not divide 6";
}

TEST_P(Invariance, TwiceInARow) {
  const TrainPlan plan = nomu_plan({}, Gradient::stopped);
  const auto first = backend_->open(plan);
  const auto second = backend_->open(plan);
  first->run(12, {});
  second->run(12, {});
  EXPECT_EQ(first->parameters(), second->parameters());
}

TEST_P(Invariance, PaddingRowsChangeNothing) {
  const TrainPlan plan = nomu_plan({}, Gradient::coupled);
  TrainPlan padded = plan;
  const std::size_t rows = plan.x.rows() + 9;
  padded.x = Tensor<float>(plan.members(), rows, 2, 77.0F);
  padded.y = Tensor<float>(plan.members(), rows, 1, 55.0F);
  padded.row_weight = Tensor<float>(plan.members(), rows, 1, 0.0F);
  for (std::size_t m = 0; m < plan.members(); ++m) {
    for (std::size_t i = 0; i < plan.x.rows(); ++i) {
      std::copy(plan.x.row(m, i).begin(), plan.x.row(m, i).end(), padded.x.row(m, i + 4).begin());
      padded.y(m, i + 4, 0) = plan.y(m, i, 0);
      padded.row_weight(m, i + 4, 0) = 1.0F;
    }
  }
  const auto plain = backend_->open(plan);
  const auto with_padding = backend_->open(padded);
  plain->run(10, {});
  with_padding->run(10, {});
  EXPECT_EQ(plain->parameters(), with_padding->parameters());
}

/// A member with few rows goes its own way beside one with many, where those are treated otherwise.
TEST_P(Invariance, MembersWithFewAndWithManyRows) {
  TrainPlan plan = nomu_plan({.members = 2, .rows = 260, .inputs = 2, .hidden = {128, 128}}, Gradient::coupled);
  plan.row_weight = Tensor<float>(2, plan.x.rows(), 1, 1.0F);
  for (std::size_t i = 12; i < plan.x.rows(); ++i) plan.row_weight(0, i, 0) = 0.0F;
  const auto both = backend_->open(plan);
  both->run(5, {});
  for (std::size_t m = 0; m < 2; ++m) {
    TrainPlan own = only(plan, m);
    if (m == 0) {
      own.x = Tensor<float>(1, 12, 2);
      own.y = Tensor<float>(1, 12, 1);
      own.row_weight = Tensor<float>(1, 12, 1, 1.0F);
      std::copy_n(plan.x.member(0).begin(), 12 * 2, own.x.flat().begin());
      std::copy_n(plan.y.member(0).begin(), 12, own.y.flat().begin());
    }
    const auto one = backend_->open(own);
    one->run(5, {});
    expect_same_member(*both, m, *one);
  }
}

TEST_P(Invariance, ARowAloneEqualsTheSameRowInABatch) {
  const TrainPlan plan = nomu_plan({.members = 2, .rows = 20, .inputs = 3, .hidden = {130, 70}}, Gradient::coupled);
  const auto session = backend_->open(plan);
  session->run(3, {});
  (void)expect_rows_alone(*session, 150, 3);
}

TEST_P(Invariance, AContinuedRunEqualsAnUninterruptedOne) {
  for (const Case& c : training_cases()) {
    SCOPED_TRACE(c.name);
    expect_continued(*engine_, c.make(), {4, 1}, 6);
  }
}

TEST_P(Invariance, AWarmStartBeginsAtTheGivenParameters) {
  TrainPlan plan = nomu_plan({}, Gradient::coupled);
  const auto first = backend_->open(plan);
  first->run(20, {});
  plan.start = first->parameters();
  const auto second = backend_->open(plan);
  EXPECT_EQ(second->parameters(), plan.start);
  second->run(5, {});
  for (std::size_t m = 0; m < plan.members(); ++m)
    EXPECT_LT(second->reports()[m].first_loss, 0.9 * first->reports()[m].first_loss);
}

NOMU_ON_EVERY_PRECISION(Invariance);

}  // namespace
}  // namespace nomu::engine::testing
