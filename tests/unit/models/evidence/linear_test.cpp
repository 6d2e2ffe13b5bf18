// Bounds of a default fit where a constant width is right.

#include <gtest/gtest.h>

#include <cmath>

#include "nomu/core/random.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

constexpr double noise = 0.3;

/// Four inputs with normal distribution and a target that is linear in them.
DataSet linear_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    double target = noise * random.normal();
    for (int j = 1; j <= 4; ++j) {
      x.push_back(random.normal());
      target += j * x.back();
    }
    y.push_back(target);
  }
  return make_dataset(x, 4, y);
}

// Single networks take rows at the edge of the data for far ones. While each of them counted by its variance, bounds
// had twice the interval score of those that know the truth.
TEST(Linear, RowsAtTheEdgeOfTheDataAreNotFar) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Model model = fit({.level = 0.9}, linear_rows(100, seed));
    const DataSet fresh = linear_rows(1000, 100 + seed);
    const double score = interval_score(model.bounds(fresh.inputs, 0.9), fresh.targets, 0.9);
    const double best_possible = 2.0 * 2.063 * noise;  // of bounds of 90 % that know the truth
    EXPECT_LT(score, 1.35 * best_possible) << "draw " << seed;
  }
}

/// Two inputs with normal distribution; the target is linear in one and quadratic in the other.
DataSet bent_rows(std::size_t rows, std::uint64_t seed, double spread) {
  Random random(seed);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal();
    const double b = random.normal();
    x.insert(x.end(), {a, b});
    y.push_back(2.0 * a + b * b + spread * random.normal());
  }
  return make_dataset(x, 2, y);
}

// While numbers were drawn in from the median on, the error among the rows was .11, half as much again. A single draw
// says little: which presentation of the inputs it takes may be a close call.
TEST(Linear, NumbersThatAreNotFarActInProportion) {
  constexpr int draws = 4;
  double error = 0.0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Model model = fit({.level = 0.9}, bent_rows(300, seed, 0.2));
    const DataSet fresh = bent_rows(1000, 100 + seed, 0.0);
    const std::vector<double> mean = model.predict(fresh.inputs).mean;
    double squares = 0.0;
    double among = 0.0;
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      if (std::abs(fresh.row(i)[0]) > 2.0 || std::abs(fresh.row(i)[1]) > 2.0) continue;
      squares += std::pow(mean[i] - fresh.targets[i], 2);
      among += 1.0;
    }
    error += std::sqrt(squares / among) / draws;
  }
  EXPECT_LT(error, 0.09);
}

}  // namespace
}  // namespace nomu
