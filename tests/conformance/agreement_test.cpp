// Every engine computes what the reference computes: gradients of the first step, losses and outputs along the way.

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases.hpp"
#include "conformance/engines.hpp"
#include "engine/session.hpp"

namespace nomu::engine::testing {
namespace {

class Agreement : public OnEveryEngine {};

/// |a - b| relative to |b|, as whole vectors.
double distance(std::span<const float> a, std::span<const float> b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference) / (std::sqrt(size) + 1e-30);
}

/// The first moment of a layer's tensors: after one step, a tenth of their gradient.
std::vector<float> gradient_of(const TrainState& state, std::size_t m, const Layer& layer) {
  const auto all = state.first_moment.member(m);
  const auto weights = all.subspan(layer.weights, layer.fan_in() * layer.units);
  const auto bias = all.subspan(layer.bias, layer.units);
  std::vector<float> both(weights.begin(), weights.end());
  both.insert(both.end(), bias.begin(), bias.end());
  return both;
}

// Single precision against double: a gradient is a sum of up to a few thousand products.
constexpr double gradient_tolerance = 2e-5;
// Adam divides by the gradient's own size, so differences of rounding grow along a run.
constexpr double loss_tolerance = 2e-3;
constexpr double output_tolerance = 2e-2;

TEST_P(Agreement, FirstGradientOfEveryTensor) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const auto session = engine_->open(plan);
    const auto oracle = make_engine({.device = "reference"})->open(plan);
    session->run(1, {});
    oracle->run(1, {});
    const TrainState ours = session->state();
    const TrainState theirs = oracle->state();
    const Layout layout = make_layout(plan.networks, plan.loss.kind);
    for (std::size_t m = 0; m < plan.members(); ++m) {
      EXPECT_NEAR(session->reports()[m].first_loss / oracle->reports()[m].first_loss, 1.0, 2e-5);
      if (plan.train.batch_size != 0) continue;  // several updates by now: the next test looks at those
      for (const Layer& layer : layout.layers) {
        // A layer's weights and bias together: a bias gradient alone may cancel to almost nothing.
        EXPECT_LT(distance(gradient_of(ours, m, layer), gradient_of(theirs, m, layer)), gradient_tolerance)
            << "net " << layer.net << " layer " << layer.depth;
      }
    }
  }
}

TEST_P(Agreement, LossesAndOutputsAlongARun) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const auto session = engine_->open(plan);
    const auto oracle = make_engine({.device = "reference"})->open(plan);
    const std::int64_t epochs = plan.x.rows() > 500 ? 6 : 25;
    session->run(epochs, {});
    oracle->run(epochs, {});
    for (std::size_t m = 0; m < plan.members(); ++m) {
      const MemberReport& ours = session->reports()[m];
      const MemberReport& theirs = oracle->reports()[m];
      ASSERT_EQ(ours.history.size(), theirs.history.size());
      for (std::size_t e = 0; e < ours.history.size(); ++e) {
        EXPECT_NEAR(ours.history[e], theirs.history[e], loss_tolerance * (1.0 + std::abs(theirs.history[e])))
            << "epoch " << e;
      }
    }
    const Tensor<float> probe = plan.x;
    EXPECT_LT(distance(session->forward(probe, {}).flat(), oracle->forward(probe, {}).flat()), output_tolerance);
    EXPECT_LT(distance(session->forward(probe, {.active = true, .pass = 3}).flat(),
                       oracle->forward(probe, {.active = true, .pass = 3}).flat()),
              output_tolerance);
  }
}

TEST_P(Agreement, PredictionFromExportedParameters) {
  const TrainPlan plan = nomu_plan({}, Gradient::coupled);
  const auto session = engine_->open(plan);
  session->run(10, {});
  const Tensor<float> direct = session->forward(plan.x, {});
  EXPECT_EQ(engine_->predict(plan.networks, session->parameters(), plan.x, {}, plan.seeds), direct);
  const Tensor<float> oracle =
      make_engine({.device = "reference"})->predict(plan.networks, session->parameters(), plan.x, {}, plan.seeds);
  EXPECT_LT(distance(direct.flat(), oracle.flat()), 1e-5);
}

NOMU_ON_EVERY_ENGINE(Agreement);

}  // namespace
}  // namespace nomu::engine::testing
