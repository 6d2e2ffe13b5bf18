// The Gaussian process of method auto: its slopes, and which explanations of the results it finds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bo/surrogate/learned.hpp"
#include "bo/surrogate/promise.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

/// Of a function that is to be minimised, so that larger is better.
std::vector<double> values_at(const std::vector<Point>& points, double (*function)(const Point&)) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Point& point : points) values.push_back(-function(point));
  return values;
}

void check_slopes(const Promise& promise) {
  std::vector<double> x{0.13, -0.41, 0.62};
  std::vector<double> slopes(3);
  const double here = promise.at(x, slopes);
  EXPECT_DOUBLE_EQ(here, promise.at(x));
  for (std::size_t j = 0; j < 3; ++j) {
    constexpr double step = 1e-5;
    std::vector<double> up = x;
    std::vector<double> down = x;
    up[j] += step;
    down[j] -= step;
    const double slope = (promise.at(up) - promise.at(down)) / (2.0 * step);
    EXPECT_NEAR(slopes[j], slope, 1e-3 * std::max(1.0, std::abs(slope)));
  }
}

TEST(Process, SlopesOfThePromiseAreThoseOfItsValues) {
  const Space space = Space::box(3, 0.0, 1.0);
  const std::vector<Point> points = initial_design(space, DesignKind::sobol, 15, 3);
  const auto learned = learn(space, points, values_at(points, bowl), {});
  ASSERT_TRUE(learned);
  Process process = learned->process;
  const std::vector<double> pending{0.3, -0.2, 0.5};
  process.believe(pending);
  const Fantasies fantasies(process, process.best_mean(), 7);
  Promise promise(process, nullptr, nullptr, process.best_mean());
  check_slopes(promise);
  promise.expect(fantasies);
  check_slopes(promise);
}

TEST(Process, SlopesOfABowlAndOfSuccessAreThoseOfTheirValues) {
  const Space space = Space::box(3, -1.0, 1.0);
  const std::vector<Point> points = initial_design(space, DesignKind::sobol, 20, 3);
  std::vector<double> values;
  std::vector<Point> finished;
  std::vector<Point> failed;
  for (const Point& point : points) {
    (point[0] + point[1] > 0.4 ? failed : finished).push_back(point);
    if (finished.size() > values.size()) values.push_back(-10.0 * bowl(point) + std::sin(9.0 * point[1]));
  }
  const auto learned = learn(space, finished, values, {.simpler = true});
  ASSERT_TRUE(learned);
  ASSERT_GT(learned->process.trend().bend, 0.0);
  Process process = learned->process;
  const std::vector<double> pending{0.3, -0.2, 0.5};
  process.believe(pending);
  const Fantasies fantasies(process, process.best_mean(), 7);
  for (const auto weight : {SuccessWorth::Weight::cautious, SuccessWorth::Weight::probability}) {
    const SuccessWorth success(learn_success(space, finished, failed), weight);
    Promise promise(process, &success, nullptr, process.best_mean());
    check_slopes(promise);
    promise.expect(fantasies);
    check_slopes(promise);
    RowMatrix one(1, 3);
    one << 0.13, -0.41, 0.62;
    EXPECT_DOUBLE_EQ(promise.at_all(one).front(), promise.at(std::span(one.data(), 3)));
  }
}

/// Root mean square error of what is learned from the first points of a design at the other ones.
double error_of(const Space& space, const LearnSpec& spec, std::size_t known, double (*function)(const Point&)) {
  const std::vector<Point> points = initial_design(space, DesignKind::sobol, 200, 5);
  const std::vector<Point> some(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(known));
  const auto learned = learn(space, some, values_at(some, function), spec);
  double sum = 0.0;
  for (std::size_t k = known; k < points.size(); ++k) {
    const double mean = learned->warp.invert(learned->process.mean_at(space.to_inputs(points[k])));
    sum += std::pow(mean + function(points[k]), 2);
  }
  return std::sqrt(sum / static_cast<double>(points.size() - known));
}

TEST(Process, AFewResultsOfManyVariablesTeachWhatAllHaveInCommon) {
  const Space space = Space::box(20, -1.0, 1.0);
  EXPECT_LT(error_of(space, {.simpler = true}, 20, bowl), 0.8 * error_of(space, {}, 20, bowl));
}

TEST(Process, LengthsDifferOnceResultsSayThatTheyDo) {
  const Space space = Space::box(4, -1.0, 1.0);
  const auto one_matters = [](const Point& x) { return std::sin(4.0 * x[0]); };
  const double simpler = error_of(space, {.simpler = true}, 40, one_matters);
  EXPECT_LT(simpler, 0.2);
  EXPECT_LT(simpler, 1.1 * error_of(space, {}, 40, one_matters));
}

TEST(Process, FantasiesAreTheProcessOnAverage) {
  const Space space = Space::box(2, 0.0, 1.0);
  const std::vector<Point> points = initial_design(space, DesignKind::sobol, 12, 3);
  Process process = learn(space, points, values_at(points, bowl), {})->process;
  const std::vector<double> pending{0.9, -0.9};
  process.believe(pending);
  const Fantasies fantasies(process, process.best_mean(), 7);
  for (const std::vector<double>& x : {std::vector<double>{0.8, -0.8}, std::vector<double>{-0.5, 0.1}}) {
    EXPECT_NEAR(fantasies.means(x).mean(), process.mean_at(x), 1e-9);
  }
  for (const double best : fantasies.bests()) EXPECT_GE(best, process.best_mean());
}

/// Varies with the logarithm of the first variable's distance from its low end.
double by_decades(const Point& x) {
  const double decade = std::log10(0.01 + 0.5 * (x[0] + 1.0));
  return std::pow(decade + 1.2, 2.0) + 0.5 * std::pow(x[1] - 0.3, 2.0) + 0.02 * std::sin(5.0 * x[2] + 9.0 * decade);
}

TEST(Process, AStretchKeepsTheEndsAndHasItsSlopes) {
  for (const double setting : {-3.0, -0.5, 0.0, 1.5, 4.0}) {
    const Stretch stretch(setting);
    EXPECT_DOUBLE_EQ(stretch.place(-1.0), -1.0);
    EXPECT_DOUBLE_EQ(stretch.place(1.0), 1.0);
    for (const double x : {-0.97, -0.2, 0.0, 0.6, 0.99}) {
      constexpr double step = 1e-6;
      if (setting == 0.0) {
        EXPECT_NEAR(stretch.place(x), x, 1e-15);
      }
      EXPECT_NEAR(stretch.slope(x), (stretch.place(x + step) - stretch.place(x - step)) / (2.0 * step), 1e-6);
      const double by_setting = (Stretch(setting + step).place(x) - Stretch(setting - step).place(x)) / (2.0 * step);
      EXPECT_NEAR(stretch.slope_by_setting(x), by_setting, 1e-6);
    }
  }
}

TEST(Process, ARangeIsStretchedWhereResultsSayThatItShould) {
  const Space space = Space::box(3, -1.0, 1.0);
  const std::vector<Point> points = initial_design(space, DesignKind::sobol, 40, 3);
  const auto stretches = [&](double (*function)(const Point&)) {
    return learn(space, points, values_at(points, function), {.simpler = true, .stretch = true});
  };
  const auto decades = stretches(by_decades);
  ASSERT_EQ(decades->process.rows().stretch.size(), 3U);
  ASSERT_NE(decades->process.rows().stretch[0], ProcessRows::as_it_is);
  EXPECT_GT(decades->process.kernel().stretches[decades->process.rows().stretch[0]].setting(), 1.0);
  EXPECT_TRUE(stretches(bowl)->process.rows().stretch.empty());

  // Slopes are those of the values on stretched ranges, too, also with points on their way.
  Process process = decades->process;
  const std::vector<double> pending{0.3, -0.2, 0.5};
  process.believe(pending);
  Promise promise(process, nullptr, nullptr, process.best_mean());
  check_slopes(promise);
  const Fantasies fantasies(process, process.best_mean(), 7);
  promise.expect(fantasies);
  check_slopes(promise);
}

TEST(Process, AStretchedRangeForeseesTheOtherEnd) {
  const Space space = Space::box(3, -1.0, 1.0);
  EXPECT_LT(error_of(space, {.simpler = true, .stretch = true}, 40, by_decades),
            0.7 * error_of(space, {.simpler = true}, 40, by_decades));
}

/// The best values of studies by these rules, summed over seeds.
double sum_of_best(std::int64_t rules, double (*function)(const Point&), const Space& space, std::int64_t evaluations) {
  double sum = 0.0;
  for (const std::int64_t seed : {1, 2, 3, 4}) {
    OptimizeSpec spec = quick();
    spec.method = "auto";
    spec.rules = rules;
    spec.seed = seed;
    sum += minimize(function, space, {.evaluations = evaluations, .study = spec, .engine = one_thread()}).value;
  }
  return sum;
}

TEST(Process, SearchesByDecadesEndSooner) {
  const Space space = Space::box(3, -1.0, 1.0);
  EXPECT_LT(sum_of_best(6, by_decades, space, 25), 0.5 * sum_of_best(5, by_decades, space, 25));
}

TEST(Process, OtherBasinsOfFewVariablesAreSeen) {
  // Of its many wells two of the deepest, -19.2 each, lie in this box, near corners (Holder's table).
  const auto wells = [](const Point& x) {
    const double height = std::exp(std::abs(1.0 - std::hypot(x[0], x[1]) / std::numbers::pi));
    return -std::abs(std::sin(x[0]) * std::cos(x[1]) * height);
  };
  const Space space = Space::box(2, -10.0, 9.0);
  EXPECT_LT(sum_of_best(6, wells, space, 40), sum_of_best(5, wells, space, 40) - 4.0);
}

}  // namespace
}  // namespace nomu
