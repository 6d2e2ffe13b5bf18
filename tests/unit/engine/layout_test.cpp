#include "engine/layout.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases.hpp"
#include "engine/cpu/program.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine {
namespace {

TEST(Layout, TheNomuPairOfThePaperHas4219906Parameters) {
  // 1-1024-1024-1024 twice: 2 (2048 + 2 (1024 * 1024 + 1024)) + heads of 1024 + 1 and 2048 + 1.
  const TrainPlan plan =
      testing::nomu_plan({.members = 1, .rows = 8, .inputs = 1, .hidden = {1024, 1024, 1024}}, Gradient::stopped);
  const Layout layout = make_layout(plan.networks, plan.loss.kind);
  std::size_t count = 0;
  for (const Layer& layer : layout.layers) count += (layer.fan_in() + 1) * layer.units;
  EXPECT_EQ(count, 2U * (2048 + 2 * (1024 * 1024 + 1024)) + 1025 + 2049);
  EXPECT_LT(layout.parameters - count, 32U) << "gaps between tensors stay small";
}

TEST(Layout, SizesThatWrapAreRefused) {
  const std::size_t huge = std::size_t{1} << 62U;
  for (const std::vector<std::size_t>& hidden :
       std::vector<std::vector<std::size_t>>{{huge},
                                             {huge, 4},
                                             {4, huge},
                                             {huge, huge},
                                             {~std::size_t{0}},
                                             {std::size_t{1} << 32U, std::size_t{1} << 32U}}) {
    Networks networks{.inputs = 4, .nets = {Net{}}};
    networks.nets[0].hidden = hidden;
    networks.nets[0].outputs = 1;
    EXPECT_THROW((void)make_layout(networks, LossKind::squared_error), ConfigError);
  }
}

TEST(Layout, TensorsStartAtCacheLinesAndDoNotOverlap) {
  for (const testing::Case& c : testing::all_cases()) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const Layout layout = make_layout(plan.networks, plan.loss.kind);
    std::size_t end = 0;
    for (const Layer& layer : layout.layers) {
      EXPECT_EQ(layer.weights % 16, 0U);
      EXPECT_EQ(layer.bias % 16, 0U);
      EXPECT_GE(layer.weights, end);
      EXPECT_GE(layer.bias, layer.weights + layer.fan_in() * layer.units);
      end = layer.bias + layer.units;
    }
    EXPECT_GE(layout.parameters, end);
  }
}

TEST(Layout, StoppedGradientsSpareTheMeanNetTheArtificialRows) {
  const auto mean_layer = [](Gradient gradient) {
    const TrainPlan plan = testing::nomu_plan({}, gradient);
    return make_layout(plan.networks, plan.loss.kind).layers[0];
  };
  EXPECT_FALSE(mean_layer(Gradient::stopped).on_augmented);
  EXPECT_TRUE(mean_layer(Gradient::coupled).on_augmented);
}

TEST(Layout, WorkOfAStepIsAsCountedByHand) {
  // The paper's toy step: 2.35 GFLOP stopped, 3.42 coupled.
  const auto flops = [](Gradient gradient) {
    const TrainPlan plan = testing::nomu_plan({.members = 1, .rows = 8, .inputs = 1, .hidden = {1024, 1024, 1024}},
                                              gradient, LossKind::nomu, 128);
    return flops_per_step(make_layout(plan.networks, plan.loss.kind), 8, 128, plan.networks);
  };
  EXPECT_NEAR(flops(Gradient::stopped) * 1e-9, 2.35, 0.01);
  EXPECT_NEAR(flops(Gradient::coupled) * 1e-9, 3.42, 0.01);
}

TEST(Layout, InitialParametersAreUniformAndDependOnTheSeedAlone) {
  const TrainPlan plan = testing::base_plan({.members = 1, .rows = 4, .inputs = 3, .hidden = {200, 100}});
  const Layout layout = make_layout(plan.networks, plan.loss.kind);
  std::vector<float> a(layout.parameters);
  std::vector<float> b(layout.parameters);
  initialise(plan.networks, layout, 5, a.data());
  initialise(plan.networks, layout, 5, b.data());
  EXPECT_EQ(a, b);
  initialise(plan.networks, layout, 6, b.data());
  EXPECT_NE(a, b);
  double square = 0.0;
  const Layer& layer = layout.layers[1];
  for (std::size_t i = 0; i < layer.fan_in() * layer.units; ++i) {
    const auto w = static_cast<double>(a[layer.weights + i]);
    ASSERT_LE(std::abs(w), 0.4);
    square += w * w;
  }
  EXPECT_NEAR(square / 20000.0, 0.16 / 3.0, 0.002);
}

TEST(Program, EveryWeightBelongsToExactlyOneTile) {
  for (const testing::Case& c : testing::all_cases()) {
    SCOPED_TRACE(c.name);
    const TrainPlan plan = c.make();
    const cpu::Program program = cpu::make_program(plan);
    std::vector<int> touched(program.layout.parameters, 0);
    for (const cpu::UnitTile& tile : program.tiles) {
      for (const Consumer& consumer : program.consumers_of(tile.source)) {
        const Layer& layer = program.layout.layers[consumer.layer];
        const std::size_t first = layer.feeds[consumer.feed].weights + tile.first * layer.units;
        for (std::size_t i = 0; i < tile.width * layer.units; ++i) ++touched[first + i];
      }
    }
    for (const Layer& layer : program.layout.layers) {
      for (std::size_t i = 0; i < layer.fan_in() * layer.units; ++i) ASSERT_EQ(touched[layer.weights + i], 1);
    }
  }
}

}  // namespace
}  // namespace nomu::engine
