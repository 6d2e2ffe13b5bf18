// Every engine computes what the reference computes: gradients of the first step, losses and outputs along the way.

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/engines.hpp"
#include "conformance/image_cases.hpp"
#include "engine/session.hpp"

namespace nomu::engine::testing {
namespace {

/// How far an engine may be from the reference, which computes in double precision.
struct Tolerance {
  double gradient, first_loss;
  double loss, output;  ///< Adam divides by the gradient's own size, so differences of rounding grow along a run.
  double prediction;
};

// A gradient is a sum of up to a few thousand products.
constexpr Tolerance single{.gradient = 2e-5, .first_loss = 2e-5, .loss = 2e-3, .output = 2e-2, .prediction = 1e-5};
// Factors are rounded to 11 bits, 5e-4 at most each; gradients cancel, and units close to zero fall on either side.
constexpr Tolerance tf32{.gradient = 3e-2, .first_loss = 2e-3, .loss = 2e-2, .output = 1e-1, .prediction = 1e-3};

class Agreement : public OnEveryEngine {
 protected:
  static const Tolerance& tolerance() { return GetParam().precision == "tf32" ? tf32 : single; }
};

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
  const auto weights = all.subspan(layer.weights, layer.fan_in() * layer.columns());
  const auto bias = all.subspan(layer.bias, layer.columns());
  std::vector<float> both(weights.begin(), weights.end());
  both.insert(both.end(), bias.begin(), bias.end());
  return both;
}

TEST_P(Agreement, FirstGradientOfEveryTensor) {
  for (const Case& c : cases_of(GetParam().device)) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const auto session = backend_->open(plan);
    const auto reference = make_engine({.device = "reference"});
    const auto oracle = backend(*reference).open(plan);
    session->run(1, {});
    oracle->run(1, {});
    const TrainState ours = session->state();
    const TrainState theirs = oracle->state();
    const Layout layout = make_layout(plan.networks, plan.loss.kind);
    for (std::size_t m = 0; m < plan.members(); ++m) {
      EXPECT_NEAR(session->reports()[m].first_loss / oracle->reports()[m].first_loss, 1.0, tolerance().first_loss);
      if (plan.train.batch_size != 0) continue;  // several updates by now: the next test looks at those
      for (const Layer& layer : layout.layers) {
        // A layer's weights and bias together: a bias gradient alone may cancel to almost nothing.
        EXPECT_LT(distance(gradient_of(ours, m, layer), gradient_of(theirs, m, layer)), tolerance().gradient)
            << "net " << layer.net << " layer " << layer.depth;
      }
    }
  }
}

TEST_P(Agreement, LossesAndOutputsAlongARun) {
  for (const Case& c : cases_of(GetParam().device)) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const auto session = backend_->open(plan);
    const auto reference = make_engine({.device = "reference"});
    const auto oracle = backend(*reference).open(plan);
    const std::int64_t epochs = plan.x.rows() + plan.augment.count > 250 ? 6 : 25;
    session->run(epochs, {});
    oracle->run(epochs, {});
    for (std::size_t m = 0; m < plan.members(); ++m) {
      const MemberReport& ours = session->reports()[m];
      const MemberReport& theirs = oracle->reports()[m];
      ASSERT_EQ(ours.history.size(), theirs.history.size());
      for (std::size_t e = 0; e < ours.history.size(); ++e) {
        EXPECT_NEAR(ours.history[e], theirs.history[e], tolerance().loss * (1.0 + std::abs(theirs.history[e])))
            << "epoch " << e;
      }
    }
    const Tensor<float> probe = plan.x;
    EXPECT_LT(distance(session->forward(probe, {}).flat(), oracle->forward(probe, {}).flat()), tolerance().output);
    EXPECT_LT(distance(session->forward(probe, {.active = true, .pass = 3}).flat(),
                       oracle->forward(probe, {.active = true, .pass = 3}).flat()),
              tolerance().output);
  }
}

TEST_P(Agreement, PredictionFromExportedParameters) {
  const TrainPlan plan = nomu_plan({}, Gradient::coupled);
  const auto session = backend_->open(plan);
  session->run(10, {});
  const Tensor<float> direct = session->forward(plan.x, {});
  EXPECT_EQ(backend_->predict(plan.networks, session->parameters(), plan.x, {}, plan.seeds), direct);
  const auto reference = make_engine({.device = "reference"});
  const Tensor<float> oracle =
      backend(*reference).predict(plan.networks, session->parameters(), plan.x, {}, plan.seeds);
  EXPECT_LT(distance(direct.flat(), oracle.flat()), tolerance().prediction);
}

NOMU_ON_EVERY_PRECISION(Agreement);

}  // namespace
}  // namespace nomu::engine::testing
