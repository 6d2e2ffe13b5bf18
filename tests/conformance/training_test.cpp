// How a run goes: snapshots, early stop, divergence, cancellation, refusals.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <thread>

#include "conformance/engines.hpp"
#include "conformance/image_cases.hpp"
#include "engine/session.hpp"
#include "message_of.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::testing {
namespace {

class Training : public OnEveryEngine {};

TEST_P(Training, LossFalls) {
  for (const Case& c : cases_of(GetParam().device)) {
    if (c.name == "frozen_sigma" || c.name == "clipped") continue;  // one trains half of the loss, the other crawls
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const auto session = backend_->open(plan);
    session->run(plan.train.epochs, {});
    for (const MemberReport& report : session->reports()) {
      EXPECT_LT(report.best_loss, report.first_loss - 0.02 * std::abs(report.first_loss));
      EXPECT_FALSE(report.diverged);
    }
  }
}

TEST_P(Training, AnExactSnapshotHasTheBestLoss) {
  TrainPlan plan = nomu_plan({}, Gradient::coupled);
  plan.augment.kind = AugmentKind::fixed;  // so that a loss can be computed again
  plan.augment.points = Tensor<float>(1, plan.augment.count, 2);
  plan.learning_rate = 0.05F;  // restless enough that the last loss is not the best
  const auto session = backend_->open(plan);
  session->run(60, {});
  TrainPlan again = plan;
  again.start = session->parameters();
  const auto check = backend_->open(again);
  check->run(1, {});
  for (std::size_t m = 0; m < plan.members(); ++m) {
    const MemberReport& report = session->reports()[m];
    EXPECT_NEAR(check->reports()[m].first_loss, report.best_loss, 1e-5 * std::abs(report.best_loss));
    EXPECT_EQ(report.best_loss,
              *std::min_element(report.history.begin(), report.history.end()) == static_cast<float>(report.best_loss)
                  ? report.best_loss
                  : -1.0);
  }
}

TEST_P(Training, TheSnapshotAfterTheUpdateIsOneStepLater) {
  TrainPlan plan = nomu_plan({}, Gradient::coupled);
  plan.train.snapshot = Snapshot::after_update;
  const auto session = backend_->open(plan);
  session->run(7, {});
  TrainPlan last = plan;
  last.train.snapshot = Snapshot::none;
  for (std::size_t m = 0; m < plan.members(); ++m) {
    const auto plain = backend_->open(last);
    plain->run(session->reports()[m].best_epoch + 1, {});
    const Tensor<float> kept = session->parameters();
    const Tensor<float> then = plain->parameters();
    EXPECT_TRUE(std::equal(kept.member(m).begin(), kept.member(m).end(), then.member(m).begin()));
  }
}

TEST_P(Training, EarlyStopAfterPatience) {
  TrainPlan plan = base_plan({.members = 2});
  plan.learning_rate = std::vector<float>{0.0F, 1e-3F};  // the first member never gets better
  plan.train.patience = 5;
  const auto session = backend_->open(plan);
  session->run(30, {});
  EXPECT_TRUE(session->reports()[0].stopped_early);
  EXPECT_EQ(session->reports()[0].epochs, 6);
  EXPECT_EQ(session->reports()[1].epochs, 30);
}

TEST_P(Training, ADivergedMemberIsMarkedAndCostsTheOthersNothing) {
  TrainPlan plan = nomu_plan({}, Gradient::coupled);
  const auto calm = backend_->open(plan);
  calm->run(10, {});
  plan.learning_rate = std::vector<float>{2e-3F, 1e30F, 2e-3F};
  const auto session = backend_->open(plan);
  session->run(10, {});
  EXPECT_TRUE(session->reports()[1].diverged);
  EXPECT_FALSE(session->reports()[0].diverged);
  EXPECT_FALSE(session->reports()[2].diverged);
  const Tensor<float> with = session->parameters();
  const Tensor<float> without = calm->parameters();
  EXPECT_TRUE(std::equal(with.member(2).begin(), with.member(2).end(), without.member(2).begin()));
  for (const float value : with.flat()) EXPECT_TRUE(std::isfinite(value)) << "the snapshot is from before the trouble";
}

TEST_P(Training, StopsOnRequest) {
  TrainPlan plan = nomu_plan({.members = 4}, Gradient::coupled);
  plan.train.epochs = 100000000;
  const auto session = backend_->open(plan);
  std::stop_source source;
  const std::jthread stopper([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    source.request_stop();
  });
  EXPECT_THROW(session->run(plan.train.epochs, source.get_token()), Cancelled);
  for (const MemberReport& report : session->reports()) EXPECT_LT(report.epochs, plan.train.epochs);
}

TEST_P(Training, EveryRowIsUsedOncePerEpoch) {
  // Ten rows in batches of four: three steps with the remainder, two without it.
  TrainPlan plan = base_plan({.members = 1, .rows = 10});
  plan.train.batch_size = 4;
  plan.train.snapshot = Snapshot::none;
  const auto all = backend_->open(plan);
  all->run(1, {});
  plan.train.drop_remainder = true;
  const auto dropped = backend_->open(plan);
  dropped->run(1, {});
  EXPECT_EQ(all->state().steps[0], 3U);
  EXPECT_EQ(dropped->state().steps[0], 2U);
}

TEST_P(Training, DropoutPassesDifferAndRepeat) {
  TrainPlan plan = base_plan({});
  plan.networks.nets[0].dropout = 0.4F;
  const auto session = backend_->open(plan);
  session->run(2, {});
  const Tensor<float> first = session->forward(plan.x, {.active = true, .pass = 0});
  EXPECT_EQ(first, session->forward(plan.x, {.active = true, .pass = 0}));
  EXPECT_NE(first, session->forward(plan.x, {.active = true, .pass = 1}));
  EXPECT_NE(first, session->forward(plan.x, {}));
}

TEST_P(Training, MoreMemoryThanThereIsIsRefusedWithTheFigure) {
  const TrainPlan plan = base_plan({.members = 2, .rows = 4, .inputs = 1, .hidden = {3000000, 3000000}});
  const std::string message = message_of<DeviceError>([&] { (void)backend_->open(plan); });
  EXPECT_NE(message.find("TB of memory"), std::string::npos) << message;
  EXPECT_NE(message.find("2 members"), std::string::npos) << message;
}

TEST_P(Training, ImpossiblePlansAreRefused) {
  const auto refusal = [&](const std::function<void(TrainPlan&)>& change) {
    return message_of<Error>([&] { (void)backend_->open(changed(nomu_plan({}, Gradient::coupled), change)); });
  };
  const auto expect = [&](const std::function<void(TrainPlan&)>& change, const std::string& part) {
    const std::string message = refusal(change);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect([](TrainPlan& p) { p.augment.count = 0; }, "artificial points must be positive, got 0");
  expect([](TrainPlan& p) { p.augment.kind = AugmentKind::none; }, "needs artificial points");
  expect([](TrainPlan& p) { p.networks.nets[0].hidden[0] = 0; }, "units, got 0");
  expect([](TrainPlan& p) { p.networks.nets[0].hidden[0] = static_cast<std::size_t>(-5); },
         "hidden layers of net 0 must have");
  expect([](TrainPlan& p) { p.networks.nets[1].links[0].from_layer = 9; }, "no hidden layer 9");
  expect([](TrainPlan& p) { p.y(1, 3, 0) = std::nanf(""); }, "member 1, row 3");
  expect([](TrainPlan& p) { p.x(2, 5, 1) = INFINITY; }, "member 2, row 5");
  expect([](TrainPlan& p) { p.seeds.pop_back(); }, "2 seeds for 3 members");
  expect([](TrainPlan& p) { p.networks.nets[0].dropout = 1.0F; }, "dropout must be between");
  expect(
      [](TrainPlan& p) {
        p.networks.nets[0].dropout_layers = {0.1F, 0.2F, 0.3F, 0.4F, 0.5F};
      },
      "5 dropout rates for");
  expect([](TrainPlan& p) { p.loss.mu_sqr = std::vector<float>{1.0F, 2.0F}; }, "mu_sqr has 2 values for 3 members");
  expect([](TrainPlan& p) { p.train.epochs = 0; }, "epochs must be positive");
  expect([](TrainPlan& p) { p.row_weight = Tensor<float>(3, 20, 1, 0.0F); }, "member 0 has no row");
  expect([](TrainPlan& p) { p.start = Tensor<float>(3, 1, 5); }, "the start needs");
  expect([](TrainPlan& p) { p.loss.kind = LossKind::directed; }, "reads 3 outputs");
}

NOMU_ON_EVERY_ENGINE(Training);

MemberReport report_of(std::initializer_list<double> losses) {
  MemberReport report;
  for (const double loss : losses) (void)report.observe(loss, 0);
  return report;
}

TEST(Divergence, AFitThatEndsBelowItsStartHasNotDiverged) {
  for (const Snapshot snapshot : {Snapshot::none, Snapshot::exact}) {
    EXPECT_FALSE(has_diverged(report_of({1.0, 0.5}), snapshot));
    EXPECT_FALSE(has_diverged(report_of({1.0, 1e-9}), snapshot));
    EXPECT_FALSE(has_diverged(report_of({-1.0, -2.0}), snapshot)) << "likelihoods may be negative";
  }
}

TEST(Divergence, TheKeptLossDecides) {
  const MemberReport report = report_of({1.0, 0.5, 3.0});
  EXPECT_TRUE(has_diverged(report, Snapshot::none));
  EXPECT_FALSE(has_diverged(report, Snapshot::exact));
}

TEST(Divergence, AFitThatNeverImprovesHasDiverged) {
  for (const Snapshot snapshot : {Snapshot::none, Snapshot::exact}) {
    EXPECT_TRUE(has_diverged(report_of({1.0, 3.0}), snapshot));
    EXPECT_TRUE(has_diverged(report_of({1.0, 1.0}), snapshot));
  }
}

TEST(Divergence, AFitThatGoesOnBeginsTooLowToCompare) {
  EXPECT_FALSE(has_diverged(report_of({1.0, 3.0}), Snapshot::none, true));
  EXPECT_TRUE(has_diverged(report_of({1.0, std::numeric_limits<double>::infinity()}), Snapshot::none, true));
}

TEST(Divergence, ALossThatIsNotFiniteEndsTheFit) {
  EXPECT_TRUE(has_diverged(report_of({1.0, 0.5, std::numeric_limits<double>::infinity()}), Snapshot::exact));
  EXPECT_TRUE(has_diverged(report_of({std::numeric_limits<double>::quiet_NaN()}), Snapshot::none));
}

TEST(Divergence, ASingleEpochHasNothingToCompare) {
  EXPECT_FALSE(has_diverged(report_of({1.0}), Snapshot::none));
  EXPECT_FALSE(has_diverged(MemberReport{}, Snapshot::none));
}

}  // namespace
}  // namespace nomu::engine::testing
