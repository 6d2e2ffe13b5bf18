#include "nomu/bo/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "message_of.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;
using Kind = Variable::Kind;

Space mixed() {
  return Space({{.name = "x", .low = -2.0, .high = 3.0},
                {.name = "rate", .low = 1e-4, .high = 1.0, .log = true},
                {.name = "n", .kind = Kind::integer, .low = 1, .high = 8},
                {.name = "kind", .kind = Kind::categorical, .choices = {"a", "b", "c"}}},
               {{.terms = {{"x", 1.0}, {"n", 0.5}}, .at_most = 4.0}});
}

TEST(Space, GoesToTheUnitCubeAndBack) {
  const Space space = mixed();
  EXPECT_EQ(space.inputs(), 6U);
  const std::vector<double> unit{0.5, 0.5, 0.99, 0.4};
  const Point point = space.from_unit(unit);
  EXPECT_DOUBLE_EQ(point[0], 0.5);
  EXPECT_NEAR(point[1], 1e-2, 1e-12);
  EXPECT_EQ(point[2], 8.0);
  EXPECT_EQ(point[3], 1.0);
  EXPECT_EQ(space.from_unit(space.to_unit(point)), point);
  const std::vector<double> inputs = space.to_inputs(point);
  EXPECT_NEAR(inputs[0], 0.0, 1e-12);
  EXPECT_NEAR(inputs[1], 0.0, 1e-12);
  EXPECT_EQ(std::vector<double>(inputs.begin() + 3, inputs.end()), (std::vector<double>{-1.0, 1.0, -1.0}));
}

TEST(Space, EveryIntegerHasItsShare) {
  const Space space({{.name = "n", .kind = Kind::integer, .low = -1, .high = 2}});
  std::vector<int> seen(4, 0);
  for (int i = 0; i < 400; ++i)
    ++seen[static_cast<std::size_t>(space.from_unit(std::vector<double>{(i + 0.5) / 400})[0] + 1.0)];
  EXPECT_EQ(seen, (std::vector<int>{100, 100, 100, 100}));
}

TEST(Space, CountsAndNumbersItsPoints) {
  EXPECT_FALSE(mixed().count());
  const Space finite({{.name = "n", .kind = Kind::integer, .low = 2, .high = 4},
                      {.name = "k", .kind = Kind::categorical, .choices = {"a", "b"}}});
  ASSERT_EQ(finite.count(), 6U);
  std::set<Point> all;
  for (std::uint64_t i = 0; i < 6; ++i) all.insert(finite.at(i));
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(*all.begin(), (Point{2.0, 0.0}));
}

TEST(Space, ConstraintsHold) {
  EXPECT_TRUE(mixed().feasible(Point{0.0, 0.1, 8.0, 0.0}));
  EXPECT_FALSE(mixed().feasible(Point{0.1, 0.1, 8.0, 0.0}));
}

TEST(Space, ImpossibleVariablesAreNamed) {
  const auto message = [](const Variable& v) { return message_of<ConfigError>([&] { return Space({v}); }); };
  EXPECT_THAT(message({.name = "x", .low = 2.0, .high = 1.0}), HasSubstr("'x': the bounds are reversed: low 2"));
  EXPECT_THAT(message({.name = "x", .low = 2.0, .high = 2.0}), HasSubstr("both bounds are 2"));
  EXPECT_THAT(message({.name = "x", .low = 0.0, .high = 2.0, .log = true}), HasSubstr("needs low above 0"));
  EXPECT_THAT(message({.name = "x", .low = 0.0, .high = INFINITY}), HasSubstr("must be finite"));
  EXPECT_THAT(message({.name = "n", .kind = Kind::integer, .low = 0.5, .high = 2.0}), HasSubstr("must be whole"));
  EXPECT_THAT(message({.name = "k", .kind = Kind::categorical, .choices = {"a", "a"}}), HasSubstr("two or more"));
  EXPECT_THAT(message({.name = "k", .kind = Kind::categorical, .choices = {"a", "b"}, .unit = "mm"}),
              HasSubstr("'k': a categorical variable has no unit"));
  EXPECT_THAT(message({.name = "x", .unit = "m\ns"}), HasSubstr("'x': a unit is text on one line"));
  EXPECT_THAT(message({.name = "x", .unit = "\xff"}), HasSubstr("'x': the unit is not UTF-8 text"));
  EXPECT_THAT(message_of<ConfigError>([] { return Space(std::vector<Variable>{}); }),
              HasSubstr("at least one variable"));
  EXPECT_THAT(message_of<ConfigError>([] { return Space({{.name = "x"}, {.name = "x"}}); }), HasSubstr("used twice"));
}

TEST(Space, WrongValuesAreNamed) {
  const Space space = mixed();
  EXPECT_THAT(message_of([&] { return space.index_of("rat"); }), HasSubstr("did you mean 'rate'"));
  EXPECT_THAT(message_of([&] { return space.parse(3, "d"); }), HasSubstr("has no choice 'd'; it has a, b, c"));
  EXPECT_THAT(message_of([&] { return space.parse(0, "nan"); }), HasSubstr("needs a finite number"));
  EXPECT_THAT(message_of([&] {
                space.check(Point{9.0, 0.1, 1.0, 0.0});
                return 0;
              }),
              HasSubstr("'x' must be a number between -2 and 3, got 9"));
  EXPECT_EQ(space.text(3, 2.0), "c");
  EXPECT_EQ(space.text(2, 4.0), "4");
}

TEST(Design, FillsTheSpaceEvenly) {
  const Space space = Space::box(6, 0.0, 1.0);
  for (const DesignKind kind : {DesignKind::latin_hypercube, DesignKind::sobol}) {
    const std::vector<Point> design = initial_design(space, kind, 16, 5);
    for (std::size_t j = 0; j < space.size(); ++j) {
      std::set<int> cells;
      for (const Point& point : design) cells.insert(static_cast<int>(point[j] * 16.0));
      EXPECT_EQ(cells.size(), 16U) << "coordinate " << j;
    }
  }
  EXPECT_EQ(initial_design(space, DesignKind::sobol, 16, 5), initial_design(space, DesignKind::sobol, 16, 5));
  EXPECT_NE(initial_design(space, DesignKind::sobol, 16, 5), initial_design(space, DesignKind::sobol, 16, 6));
}

TEST(Design, SobolIntegratesBetterThanRandom) {
  // The mean of the product over the cube is 1; the error of 1024 random points is 0.056.
  const std::size_t d = 5;
  double squares = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<double> points = sobol_points(d, 1024, seed);
    double sum = 0.0;
    for (std::size_t i = 0; i < 1024; ++i) {
      double product = 1.0;
      for (std::size_t j = 0; j < d; ++j) product *= 2.0 * points[i * d + j];
      sum += product / 1024.0;
    }
    squares += (sum - 1.0) * (sum - 1.0) / 10.0;
  }
  EXPECT_LT(std::sqrt(squares), 0.056 / 3.0);
}

TEST(Design, KeepsTheConstraints) {
  const Space space({{.name = "x"}, {.name = "y"}}, {{.terms = {{"x", 1.0}, {"y", 1.0}}, .at_most = 0.3}});
  for (const Point& point : initial_design(space, DesignKind::latin_hypercube, 30, 1)) {
    EXPECT_LE(point[0] + point[1], 0.3);
  }
  const Space impossible({{.name = "x"}}, {{.terms = {{"x", 1.0}}, .at_least = 2.0}});
  EXPECT_THAT(message_of<ConfigError>([&] { return random_point(impossible, 1, 1); }),
              HasSubstr("no point was found that meets all constraints"));
}

}  // namespace
}  // namespace nomu
