// Every engine, the reference included, against an independent implementation (tests/golden/make_training_golden.py).

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "conformance/engines.hpp"
#include "engine/layout.hpp"
#include "engine/session.hpp"

namespace nomu::engine::testing {
namespace {

constexpr std::size_t rows = 6;
constexpr std::size_t points = 9;
constexpr std::int64_t steps = 12;

struct Golden {
  std::string name;
  std::vector<double> losses, predictions;
};

std::vector<double> numbers_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<double>(stream), {}};
}

std::vector<Golden> read_golden() {
  // The programs may have been carried to another machine than they were built on.
  const char* carried = std::getenv("NOMU_GOLDEN_DIR");
  std::ifstream file(std::string(carried == nullptr ? NOMU_GOLDEN_DIR : carried) + "/training_golden.txt");
  std::vector<Golden> all;
  std::string name;
  std::string losses;
  std::string predictions;
  while (std::getline(file, name) && std::getline(file, losses) && std::getline(file, predictions)) {
    all.push_back({name, numbers_of(losses), numbers_of(predictions)});
  }
  return all;
}

Net tiny_net(Activation activation) {
  Net net;
  net.hidden = {7, 5};
  net.activation = activation;
  return net;
}

TrainPlan golden_plan(const std::string& name) {
  const Activation activation =
      name == "clipped" ? Activation::tanh : (name == "amsgrad" ? Activation::softplus : Activation::relu);
  TrainPlan plan;
  plan.networks.inputs = 2;
  plan.networks.nets = {tiny_net(activation), tiny_net(activation)};
  Net& mean = plan.networks.nets[0];
  Net& sigma = plan.networks.nets[1];
  mean.l2_hidden = mean.l2_output = 1e-3F;
  sigma.l2_hidden = 3e-3F;
  sigma.l2_output = 2e-3F;
  sigma.links = {{.from_net = 0,
                  .from_layer = 1,
                  .to_layer = 2,
                  .gradient = name == "stopped" ? Gradient::stopped : Gradient::coupled}};
  plan.loss = {.kind = LossKind::nomu, .mu_sqr = 0.3F, .mu_exp = 0.2F, .c_exp = 4.0F};
  plan.augment.kind = AugmentKind::fixed;
  plan.augment.count = points;
  plan.augment.points = Tensor<float>(1, points, 2);
  plan.x = Tensor<float>(1, rows, 2);
  plan.y = Tensor<float>(1, rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < 2; ++j)
      plan.x(0, i, j) = static_cast<float>(std::sin(1.7 * static_cast<double>(i) + 2.9 * static_cast<double>(j)));
    plan.y(0, i, 0) = static_cast<float>(std::cos(2.1 * static_cast<double>(i)));
  }
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      plan.augment.points(0, i, j) =
          static_cast<float>(1.1 * std::sin(0.9 * static_cast<double>(i) + 1.1 * static_cast<double>(j) + 0.5));
    }
  }
  plan.seeds = {1};
  plan.learning_rate = 5e-3F;
  plan.clip_norm = name == "clipped" ? 0.5F : 0.0F;
  plan.train.amsgrad = name == "amsgrad";
  plan.train.snapshot = Snapshot::none;
  const Layout layout = make_layout(plan.networks, plan.loss.kind);
  plan.start = Tensor<float>(1, 1, layout.parameters);
  for (std::size_t l = 0; l < layout.layers.size(); ++l) {
    const Layer& layer = layout.layers[l];
    const std::size_t weights = layer.fan_in() * layer.units;
    for (std::size_t e = 0; e < weights + layer.units; ++e) {
      const std::size_t place = e < weights ? layer.weights + e : layer.bias + e - weights;
      plan.start(0, 0, place) =
          static_cast<float>(0.5 * std::sin(1.0 + 7.0 * static_cast<double>(l) + 1.3 * static_cast<double>(e)));
    }
  }
  return plan;
}

void compare(Engine& engine, double tolerance) {
  const std::vector<Golden> all = read_golden();
  ASSERT_EQ(all.size(), 4U) << "the golden file is missing or incomplete";
  for (const Golden& golden : all) {
    SCOPED_TRACE(golden.name);
    const TrainPlan plan = golden_plan(golden.name);
    const auto session = backend(engine).open(plan);
    session->run(steps, {});
    const std::vector<float>& history = session->reports()[0].history;
    ASSERT_EQ(history.size(), golden.losses.size());
    for (std::size_t e = 0; e < history.size(); ++e)
      EXPECT_NEAR(history[e] / golden.losses[e], 1.0, tolerance) << "step " << e;
    const Tensor<float> outputs = session->forward(plan.x, {});
    ASSERT_EQ(outputs.size(), golden.predictions.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      EXPECT_NEAR(outputs.flat()[i], golden.predictions[i], 10.0 * tolerance);
  }
}

class GoldenRun : public OnEveryEngine {};

TEST_P(GoldenRun, AgreesWithAnIndependentImplementation) { compare(*engine_, 2e-5); }

NOMU_ON_EVERY_ENGINE(GoldenRun);

// Inputs and start are rounded to single precision on their way in; the arithmetic after that is double.
TEST(GoldenReference, AgreesWithAnIndependentImplementation) { compare(*make_engine({.device = "reference"}), 1e-6); }

}  // namespace
}  // namespace nomu::engine::testing
