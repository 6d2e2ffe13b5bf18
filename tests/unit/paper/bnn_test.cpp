#include "paper/problems/bnn.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

std::vector<double> uniform_points(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(count);
  for (double& value : x) value = random.uniform(-1, 1);
  return x;
}

double deviation(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double v : values) {
    sum += v;
    squares += v * v;
  }
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / n - sum / n * (sum / n));
}

TEST(Bnn, HasTheSizeOfThePapersNetwork) {
  const BnnFunction function({.dimension = 2, .seed = 1});
  EXPECT_EQ(function.parameters(), 2U * 1024 + 1024 + 1024U * 2048 + 2048 + 2048U * 1024 + 1024 + 1024 + 1);
  EXPECT_EQ(function.dimension(), 2U);
}

TEST(Bnn, IsAFunctionOfItsSeedAlone) {
  const BnnSpec spec{.dimension = 2, .seed = 5, .widths = {30, 20}, .sigma_prior = 0.3};
  const std::vector<double> x = uniform_points(100, 1);
  const std::vector<double> values = BnnFunction(spec).evaluate(x);
  EXPECT_EQ(BnnFunction(spec).evaluate(x), values);
  BnnSpec other = spec;
  other.seed = 6;
  EXPECT_NE(BnnFunction(other).evaluate(x), values);
}

TEST(Bnn, ARowDoesNotFeelItsNeighbours) {
  const BnnFunction function({.dimension = 3, .seed = 5, .widths = {40, 20}, .sigma_prior = 0.3});
  const std::vector<double> x = uniform_points(111, 1);
  const std::vector<double> together = function.evaluate(x);
  const TestFunction one = as_test_function(function);
  for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(one.evaluate(std::span(x).subspan(3 * i, 3)), together[i]);
}

TEST(Bnn, WithoutHiddenLayersItIsAffine) {
  const BnnFunction line({.dimension = 1, .seed = 3, .widths = {}, .sigma_prior = 1.0});
  const std::vector<double> y = line.evaluate(std::vector<double>{0, 1, 2});
  EXPECT_NEAR(y[2] - y[1], y[1] - y[0], 1e-6);
  Random random(3, 0);
  const auto slope = static_cast<double>(static_cast<float>(random.normal()));
  const auto offset = static_cast<double>(static_cast<float>(random.normal()));
  EXPECT_EQ(y[0], offset);
  EXPECT_NEAR(y[1], slope + offset, 1e-6);
}

/// Second moments pass through a ReLU layer halved: q' = sigma^2 (width q / 2 + 1), exactly in expectation.
TEST(Bnn, ValuesHaveTheVarianceThatTheoryGives) {
  const double sigma = 0.4;
  const std::vector<double> x = {0.6, -0.3};
  double q = sigma * sigma * (0.6 * 0.6 + 0.3 * 0.3 + 1);
  for (const double width : {16.0, 24.0, 16.0}) q = sigma * sigma * (width * q / 2 + 1);
  double sum = 0;
  double squares = 0;
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    const BnnFunction function(
        {.dimension = 2, .seed = static_cast<std::uint64_t>(i), .widths = {16, 24, 16}, .sigma_prior = sigma});
    const double y = function.evaluate(x)[0];
    sum += y;
    squares += y * y;
  }
  EXPECT_NEAR(sum / draws, 0.0, 4 * std::sqrt(q / draws));
  EXPECT_NEAR(squares / draws / q, 1.0, 0.15);
}

TEST(Bnn, PriorsGiveFunctionsOfAboutUnitSpread) {
  const std::vector<double> x = uniform_points(320, 2);
  double total = 0;
  for (const std::size_t dimension : {5U, 10U, 20U}) {
    const double spread = deviation(BnnFunction({.dimension = dimension, .seed = 8}).evaluate(x));
    EXPECT_GT(spread, 0.3) << dimension;
    EXPECT_LT(spread, 2.5) << dimension;
    total += spread;
  }
  EXPECT_NEAR(total / 3, 1.0, 0.35);
}

TEST(Bnn, KnowsThePapersPriors) {
  EXPECT_EQ(bnn_prior_sigma(1), 0.114);
  EXPECT_EQ(bnn_prior_sigma(2), 0.102);
  EXPECT_EQ(bnn_prior_sigma(5), 0.092);
  EXPECT_EQ(bnn_prior_sigma(10), 0.084);
  EXPECT_EQ(bnn_prior_sigma(20), 0.078);
}

TEST(Bnn, RefusesBadSpecs) {
  const auto error = [](const BnnSpec& spec) { return message_of<ConfigError>([&] { return BnnFunction(spec); }); };
  EXPECT_THAT(error({.dimension = 3}),
              HasSubstr("[paper/bnn] no prior is known for 3 inputs (known: 1, 2, 5, 10, 20); set sigma_prior"));
  EXPECT_THAT(error({.dimension = 0}), HasSubstr("the dimension must be positive"));
  EXPECT_THAT(error({.dimension = 1, .widths = {4, 0}}), HasSubstr("got a width of 0"));
  EXPECT_THAT(error({.dimension = 1, .sigma_prior = -1}), HasSubstr("sigma_prior must be positive and finite, got -1"));
  const BnnFunction two({.dimension = 2, .widths = {2}});
  EXPECT_THAT(message_of([&] {
                return two.evaluate(std::vector<double>{1, 2, 3});
              }),
              HasSubstr("3 values do not fill rows of 2 inputs"));
  EXPECT_THAT(message_of([&] { return as_test_function(two).evaluate(std::vector<double>{1}); }),
              HasSubstr("'bnn' takes 2 inputs, got 1"));
}

}  // namespace
}  // namespace nomu
