#include "paper/problems/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "message_of.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

double at(std::string_view name, std::vector<double> x) { return find_function(name, x.size()).evaluate(x); }

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

/// Extremes on an even grid that holds the corners, 0, and multiples of 0.1.
Range scan(const TestFunction& function) {
  const int steps = function.dimension == 1 ? 20000 : 600;
  Range range;
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; j <= (function.dimension == 1 ? 0 : steps); ++j) {
      std::vector<double> x = {-1 + 2.0 * i / steps, -1 + 2.0 * j / steps};
      x.resize(function.dimension);
      const double y = function.evaluate(x);
      range = {std::min(range.low, y), std::max(range.high, y)};
    }
  }
  return range;
}

TEST(Functions, KnownOptimaAreNotBeatenOnAGrid) {
  for (const std::size_t dimension : {std::size_t{1}, std::size_t{2}}) {
    for (const std::string& name : function_names(dimension)) {
      const TestFunction function = find_function(name, dimension);
      const Range range = scan(function);
      if (function.minimum) {
        EXPECT_EQ(function.evaluate(function.minimum->x), function.minimum->value) << name;
        EXPECT_GE(range.low, function.minimum->value - 1e-12) << name;
        EXPECT_NEAR(range.low, function.minimum->value, 0.03) << name;
      }
      if (function.maximum) {
        EXPECT_EQ(function.evaluate(function.maximum->x), function.maximum->value) << name;
        EXPECT_LE(range.high, function.maximum->value + 1e-12) << name;
        EXPECT_NEAR(range.high, function.maximum->value, 0.03) << name;
      }
    }
  }
}

TEST(Functions, RangesOfOneInput) {
  const std::map<std::string, Range> other = {{"sine3_detrended", {-0.948, 0.990}}};
  for (const std::string& name : function_names(1)) {
    if (name.starts_with("bo_")) continue;
    const Range range = scan(find_function(name, 1));
    const Range expected = other.contains(name) ? other.at(name) : Range{-1.0, 1.0};
    EXPECT_NEAR(range.low, expected.low, 1e-3) << name;
    EXPECT_NEAR(range.high, expected.high, 1e-3) << name;
  }
  EXPECT_NEAR(at("sine3", {-1}), -1.000003, 1e-6);
  EXPECT_NEAR(at("sine3", {0.981}), 1.0, 1e-4);
}

TEST(Functions, RangesOfTwoInputs) {
  for (const std::string& name : function_names(2)) {
    if (name.starts_with("bo_")) continue;
    const TestFunction function = find_function(name, 2);
    const Range range = scan(function);
    EXPECT_NEAR(function.minimum->value, -1.0, 1e-5) << name;
    EXPECT_NEAR(range.high, name == "goldstein_price" ? 1.031 : 1.0, 1e-3) << name;
  }
}

TEST(Functions, ValuesByHandInOneDimension) {
  EXPECT_DOUBLE_EQ(at("abs", {0.4}), -1.0);
  EXPECT_DOUBLE_EQ(at("abs", {-0.3}), 0.0);
  EXPECT_EQ(at("step", {-1e-9}), 1.0);
  EXPECT_EQ(at("step", {0}), -1.0);
  EXPECT_DOUBLE_EQ(at("kink", {0.4}), 1.0);
  EXPECT_DOUBLE_EQ(at("kink", {1}), -2.0 / 7.0);
  EXPECT_DOUBLE_EQ(at("kink", {-0.1}), 0.4 / 1.4);
  EXPECT_DOUBLE_EQ(at("square", {0.5}), -0.5);
  EXPECT_DOUBLE_EQ(at("cubic", {-0.5}), -0.125);
  EXPECT_DOUBLE_EQ(at("sine1", {0.2}), std::sin(-10.0));
  EXPECT_NEAR(at("sine2", {0.5}), std::sin(-2.75 * std::numbers::pi) / 5 + 0.4, 1e-12);
  EXPECT_NEAR(at("forrester", {0}), 2 * (std::sin(2.0) + 6.02074) / (15.829732 + 6.02074) - 1, 1e-7);
  EXPECT_NEAR(at("levy", {-1}), 1.0, 1e-12);
  EXPECT_NEAR(at("levy", {0.5}), -1 + 2 * 1.0 / 15.625, 1e-12);  // X = 5, w = 2
}

TEST(Functions, ValuesByHandInTwoDimensions) {
  EXPECT_DOUBLE_EQ(at("sphere", {0.5, -0.5}), -0.5);
  EXPECT_DOUBLE_EQ(at("g_function", {1, 1}), 1.0);
  EXPECT_DOUBLE_EQ(at("g_function", {0.25, 0}), -0.5);
  EXPECT_NEAR(at("goldstein_price", {0, 0}), -1 + 2 * (600 - 3.0) / (1e6 - 3.0), 1e-12);
  EXPECT_NEAR(at("levy", {0.5, 0.1}), -1 + 2 * (1 + 10 * std::pow(std::sin(1.0), 2)) / 95.3828, 1e-6);
  EXPECT_NEAR(at("bukin6", {-1, 0}), -1 + 2 * 150.05 / 229.178784747792, 1e-12);
  EXPECT_NEAR(at("rosenbrock", {-1.0 / 3.0, -1.0 / 3.0}), -1 + 2 * 1.0 / 1102581, 1e-12);
  EXPECT_NEAR(at("beale", {0, 0}), -1 + 2 * (1.5 * 1.5 + 2.25 * 2.25 + 2.625 * 2.625) / 181853.61328125, 1e-12);
  EXPECT_NEAR(at("camel", {0.5, 0.5}), -1 + 2 * (2 - 1.05 + 1.0 / 6 + 2) / 9.866666666666665, 1e-12);
  EXPECT_NEAR(at("perm", {0, 0}), -1 + 2 * (16.0 + 36.0) / 110.5, 1e-12);
  EXPECT_NEAR(at("branin", {-1.0 / 3.0, -1}),
              -1 + 2 * (36 + 20 - 10 / (8 * std::numbers::pi) - 0.397887) / (308.12909601160663 - 0.397887), 1e-12);
  EXPECT_NEAR(at("styblinski_tang", {0.2, 0}), -1 + 2 * (-5 + 78.332) / 328.332, 1e-12);
  EXPECT_EQ(at("step", {-0.01, 1}), -1.0);
  EXPECT_EQ(at("step", {0, -1}), 1.0);
}

/// The value before scaling, from the function and its value bounds.
double unscaled(double value, double low, double high) { return (low + high) / 2 - value * (high - low) / 2; }

TEST(Functions, OptimisationFunctionsReachOneAtTheirOptimum) {
  for (const std::size_t dimension : {2, 3, 5, 10, 20}) {
    for (const std::string& name : function_names(dimension)) {
      if (!name.starts_with("bo_")) continue;
      const TestFunction function = find_function(name, dimension);
      ASSERT_TRUE(function.maximum.has_value()) << name;
      EXPECT_NEAR(function.maximum->value, 1.0, 1e-12) << name << dimension;
      Random random(dimension);
      for (int i = 0; i < 300; ++i) {
        std::vector<double> x(dimension);
        for (double& v : x) v = random.uniform(-1, 1);
        const double y = function.evaluate(x);
        ASSERT_LE(y, 1.0) << name;
        // Rosenbrock's corner (10, ..., 10, -5) lies beyond the value that scales it.
        ASSERT_GE(y, name == "bo_rosenbrock" ? -1.0 - 0.73 / static_cast<double>(dimension - 1) : -1.0 - 1e-9) << name;
      }
    }
  }
}

TEST(Functions, OptimisationFunctionsAreScaledByTheirCornerValues) {
  const auto corner = [](std::string_view name, std::size_t d, double x) {
    return find_function(name, d).evaluate(std::vector<double>(d, x));
  };
  for (const std::size_t d : {5U, 10U, 20U}) {
    for (const char* name : {"bo_levy", "bo_levy_published", "bo_perm"})
      EXPECT_NEAR(corner(name, d, -1), -1.0, 1e-12) << name;
    for (const char* name : {"bo_rosenbrock", "bo_g_function"}) EXPECT_NEAR(corner(name, d, 1), -1.0, 1e-12) << name;
    std::vector<double> beyond(d, 1.0);
    beyond.back() = -1.0;
    EXPECT_LT(find_function("bo_rosenbrock", d).evaluate(beyond), -1.0);
  }
}

/// At X = (5, 1, ..., 1) Levy is 1 + 10 sin^2(1) and Rosenbrock next to its optimum is simple, so the scale can be read
/// off.
TEST(Functions, ScalesAreThoseOfTheLiteratureAndOfThePublishedRuns) {
  const double levy_value = 1 + 10 * std::pow(std::sin(1.0), 2);
  const std::map<std::size_t, std::pair<double, double>> levy = {
      {5, {334.66, 380.03}}, {10, {733.45, 854.45}}, {20, {1531.02, 1803.27}}};
  const std::map<std::size_t, std::pair<double, double>> g = {{5, {21, -7}}, {10, {66, -22}}, {20, {231, -77}}};
  const std::map<std::size_t, double> perm = {{5, 4.76712082e8}, {10, 8.262929e21}, {20, 3.96824e54}};
  for (const std::size_t d : {5U, 10U, 20U}) {
    std::vector<double> x(d, 0.1);
    x[0] = 0.5;
    EXPECT_NEAR(2 * levy_value / (1 - find_function("bo_levy", d).evaluate(x)), levy.at(d).first, 0.01);
    EXPECT_NEAR(2 * levy_value / (1 - find_function("bo_levy_published", d).evaluate(x)), levy.at(d).second, 0.01);
    const std::vector<double> zero(d, -1.0 / 3.0);  // X = 0: value d - 1
    EXPECT_NEAR(2 * (static_cast<double>(d) - 1) / (1 - find_function("bo_rosenbrock", d).evaluate(zero)) /
                    (810081.0 * (static_cast<double>(d) - 1)),
                1.0, 1e-6);
    std::vector<double> centre(d, 0.0);
    centre[0] = 0.25;  // the first factor is 0 at X = 0.625
    EXPECT_NEAR(unscaled(find_function("bo_g_function", d).evaluate(centre), g.at(d).second, g.at(d).first), 0.0, 1e-9);
    EXPECT_NEAR(
        unscaled(find_function("bo_g_function", d).evaluate(std::vector<double>(d, -1)), g.at(d).second, g.at(d).first),
        g.at(d).first, 1e-9);
    double at_zero = 0;  // Perm at X = 0 is the sum over i of (sum_j j^i + beta)^2
    for (std::size_t i = 1; i <= d; ++i) {
      double inner = 0;
      for (std::size_t j = 1; j <= d; ++j) inner += std::pow(static_cast<double>(j), static_cast<double>(i)) + 0.5;
      at_zero += inner * inner;
    }
    EXPECT_NEAR((1 - find_function("bo_perm", d).evaluate(std::vector<double>(d, 0.0))) / 2 * perm.at(d) / at_zero, 1.0,
                2e-6);
  }
}

double mean_best_regret(const TestFunction& function, int repeats) {
  Random random(2024);
  double total = 0;
  std::vector<double> x(function.dimension);
  for (int r = 0; r < repeats; ++r) {
    double best = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < 72; ++i) {
      for (double& v : x) v = random.uniform(-1, 1);
      best = std::max(best, function.evaluate(x));
    }
    total += function.maximum->value - best;
  }
  return total / repeats;
}

TEST(Functions, RandomSearchHasTheRegretMeasuredElsewhere) {
  const auto expect = [](std::string_view name, std::array<double, 3> regret, double tolerance) {
    const std::array<std::size_t, 3> dimensions = {5, 10, 20};
    for (std::size_t i = 0; i < 3; ++i) {
      const double mean = mean_best_regret(find_function(name, dimensions[i]), 400);
      EXPECT_NEAR(mean / regret[i], 1.0, tolerance) << name << ' ' << dimensions[i] << " mean " << mean;
    }
  };
  expect("bo_levy", {0.043, 0.089, 0.141}, 0.06);
  expect("bo_levy_published", {0.049, 0.097, 0.143}, 0.06);
  expect("bo_rosenbrock", {4.2e-3, 2.8e-2, 7.9e-2}, 0.12);
  expect("bo_g_function", {0.360, 0.451, 0.486}, 0.03);
  expect("bo_perm", {6.6e-4, 1.8e-4, 2.4e-5}, 0.35);
}

TEST(Functions, NamesAreListedInTheOrderOfThePaper) {
  EXPECT_EQ(function_names(1).size(), 14U);
  EXPECT_EQ(function_names(2).size(), 17U);
  EXPECT_THAT(function_names(7),
              ElementsAre("bo_levy", "bo_rosenbrock", "bo_g_function", "bo_perm", "bo_levy_published"));
  EXPECT_EQ(function_names(1).front(), "abs");
  EXPECT_EQ(function_names().size(), 26U);
  EXPECT_TRUE(function_names(0).empty());
}

TEST(Functions, UnknownNamesGetAnAnswer) {
  const auto error = [](std::string_view name, std::size_t d) {
    return message_of<ConfigError>([&] { return find_function(name, d); });
  };
  EXPECT_THAT(error("forester", 1),
              AllOf(HasSubstr("[paper/functions] unknown function 'forester'; did you mean 'forrester'?"),
                    HasSubstr("'branin'")));
  EXPECT_THAT(error("levy", 5),
              HasSubstr("'levy' exists for 1 or 2 inputs, not for 5; 'bo_levy', to be maximised, takes any number"));
  EXPECT_THAT(error("sine1", 2), testing::EndsWith("'sine1' exists for 1 inputs, not for 2"));
  EXPECT_THAT(error("bo_rosenbrock", 1), HasSubstr("'bo_rosenbrock' needs at least 2 inputs, got 1"));
  EXPECT_THAT(error("bo_perm", 400), HasSubstr("'bo_perm' with 400 inputs exceeds the range of a double"));
  EXPECT_THAT(message_of([] {
                return at("sphere", {1, 2}) + find_function("sphere", 2).evaluate(std::vector<double>{1});
              }),
              HasSubstr("'sphere' takes 2 inputs, got 1"));
  EXPECT_THAT(message_of([] { return evaluate_rows(find_function("sphere", 2), std::vector<double>{1}); }),
              HasSubstr("1 values do not fill rows of the 2 inputs"));
}

TEST(Functions, EvaluatesRows) {
  EXPECT_THAT(evaluate_rows(find_function("sphere", 2), std::vector<double>{0, 0, 1, 1}), ElementsAre(-1, 1));
}

TEST(Functions, PaperInputsAreTheVerifiedOnes) {
  const PaperInputs inputs = paper_inputs(501, 8, 100, 1);
  ASSERT_EQ(inputs.train.size(), 8U);
  ASSERT_EQ(inputs.test.size(), 100U);
  EXPECT_EQ(inputs.train[0], -0.58494993979468068);
  EXPECT_EQ(inputs.train[1], 0.025773371508679199);
  EXPECT_EQ(inputs.train[2], -0.8824274651181907);
  const PaperInputs longer = paper_inputs(501, 54, 0, 2);
  EXPECT_TRUE(std::equal(inputs.train.begin(), inputs.train.end(), longer.train.begin()));
  EXPECT_TRUE(std::equal(inputs.test.begin(), inputs.test.end(), longer.train.begin() + 8));
}

}  // namespace
}  // namespace nomu
