// A fit and its predictions are the same for any number of threads, those of its stages outside the engine included.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "engine/cpu/cpu.hpp"
#include "nomu/core/random.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

/// With so many threads even where there are fewer processors.
std::shared_ptr<Engine> engine_of(std::size_t threads) {
  return std::make_shared<Engine>(engine::cpu::make({.device = "cpu"}, threads));
}

/// Skewed enough that a warp of the target is tried, too.
DataSet table(std::size_t rows) {
  Random random(1);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    for (int j = 0; j < 3; ++j) x.push_back(random.uniform(-1.0, 1.0));
    y.push_back(std::exp(x[3 * i] + x[3 * i + 1] * x[3 * i + 2] + 0.1 * random.normal()));
  }
  return make_dataset(x, 3, y);
}

void expect_equal(const Model& a, const Model& b) {
  const FittedState one = a.fitted().state();
  const FittedState other = b.fitted().state();
  ASSERT_EQ(one.blocks.size(), other.blocks.size());
  for (std::size_t k = 0; k < one.blocks.size(); ++k)
    EXPECT_EQ(one.blocks[k].values, other.blocks[k].values) << one.blocks[k].name;
  const DataSet rows = table(2000);
  EXPECT_EQ(a.predict(rows.inputs).mean, b.predict(rows.inputs).mean);
  EXPECT_EQ(a.predict(rows.inputs).sigma_model, b.predict(rows.inputs).sigma_model);
  EXPECT_EQ(a.held_out().predicted.mean, b.held_out().predicted.mean);
  const Bounds left = a.bounds(rows.inputs, 0.8);
  const Bounds right = b.bounds(rows.inputs, 0.8);
  EXPECT_EQ(left.lower, right.lower);
  EXPECT_EQ(left.upper, right.upper);
}

void expect_same_for_any_threads(const FitRequest& request, std::size_t rows) {
  const Model alone = fit(request, table(rows), engine_of(1));
  for (const std::size_t threads : {2, 3, 8, 16}) {
    SCOPED_TRACE(threads);
    expect_equal(alone, fit(request, table(rows), engine_of(threads)));
  }
}

TEST(AnyNumberOfThreads, AFitByEvidenceWithHeldOutRows) {
  expect_same_for_any_threads({.settings = {{"train.epochs", "2"}, {"evidence.most_rows", "200"}}}, 400);
}

TEST(AnyNumberOfThreads, AFitInFolds) { expect_same_for_any_threads({.settings = {{"train.epochs", "2"}}}, 120); }

TEST(AnyNumberOfThreads, AGaussianProcess) { expect_same_for_any_threads({.method = "gp"}, 60); }

}  // namespace
}  // namespace nomu
