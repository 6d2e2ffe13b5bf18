// Variables that count only where others have certain values.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "message_of.hpp"
#include "nomu/bo/trial_io.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

constexpr const char* text = R"toml(
[[variables]]
name = "solver"
type = "categorical"
choices = ["cg", "lu", "qr"]

[[variables]]
name = "restart"
type = "integer"
low = 1
high = 9
when = {solver = "cg"}

[[variables]]
name = "drop"
low = 0
high = 1
when = {solver = ["cg", "lu"], restart = [1, 2, 3]}

[[variables]]
name = "x"
low = -1
high = 1
)toml";

Space conditional() { return parse_study_file(text, "space.toml").space; }

TEST(Conditions, InactiveVariablesAreSettledAndLeftOut) {
  const Space space = conditional();
  ASSERT_TRUE(space.conditional());
  const std::vector<double> unit{0.5, 0.1, 0.9, 0.75};  // lu: neither restart nor, without it, drop
  const Point point = space.from_unit(unit);
  EXPECT_EQ(point, (Point{1.0, 5.0, 0.5, 0.5}));
  EXPECT_FALSE(space.active(1, point));
  EXPECT_FALSE(space.active(2, point));
  EXPECT_TRUE(space.active(3, point));
  EXPECT_EQ(point_to_json(space, point), R"({"solver":"lu","x":0.5})");
  EXPECT_EQ(point_text(space, point), "solver=lu x=0.5");
  EXPECT_EQ(space.to_inputs(point), (std::vector<double>{-1.0, 1.0, -1.0, 0.0, 0.0, 0.5}));
  EXPECT_TRUE(space.feasible(point));
  EXPECT_FALSE(space.feasible(Point{1.0, 7.0, 0.5, 0.5}));
  EXPECT_EQ(space.settled({1.0, 7.0, 0.2, 0.5}), point);
  EXPECT_EQ(space.condition_text(2), "restart = 1 or 2 or 3, and solver = cg or lu");  // TOML's tables are sorted
}

TEST(Conditions, PointsHaveWhatCountsAndNothingElse) {
  const Space space = conditional();
  EXPECT_EQ(point_from_json(space, R"({"solver":"cg","restart":2,"drop":0.25,"x":0})"), (Point{0.0, 2.0, 0.25, 0.0}));
  EXPECT_EQ(point_from_json(space, R"({"solver":"qr","x":0})"), (Point{2.0, 5.0, 0.5, 0.0}));
  const auto refused = [&](const char* json) {
    return message_of<DataError>([&] { return point_from_json(space, json); });
  };
  EXPECT_THAT(refused(R"({"solver":"cg","x":0})"), HasSubstr("lacks the variable 'restart'"));
  EXPECT_THAT(refused(R"({"solver":"qr","restart":2,"x":0})"),
              HasSubstr("variable 'restart' has a value, but is only active when solver = cg; leave it out"));
}

TEST(Conditions, TablesLeaveCellsEmpty) {
  const Space space = conditional();
  const Table table = parse_table("solver,restart,drop,x,value\nqr,,,0.5,1\ncg,7,,0.5,2\n", "old.csv");
  const std::vector<TrialResult> results = results_from_table(space, table);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].point, (Point{2.0, 5.0, 0.5, 0.5}));
  const Table again = trials_table(space, {Trial{.id = 1, .point = results[1].point}});
  EXPECT_EQ(again.columns()[again.has_column("drop") ? 4 : 0][0], "");
  const Table wrong = parse_table("solver,restart,drop,x,value\nqr,3,,0.5,1\n", "old.csv");
  EXPECT_THAT(message_of<DataError>([&] { return results_from_table(space, wrong); }),
              HasSubstr("row 2: variable 'restart' has a value, but is only active when solver = cg"));
}

/// Each variable depends on some of those just before it, and is active where they have any value.
Space chained(std::size_t count, std::size_t links) {
  std::vector<Variable> variables;
  for (std::size_t j = 0; j < count; ++j) {
    variables.push_back(
        {.name = fmt::format("v{}", j), .kind = Variable::Kind::categorical, .choices = {"a", "b", "c"}});
    for (std::size_t k = 1; k <= std::min(links, j); ++k)
      variables.back().when.push_back({fmt::format("v{}", j - k), {"a", "b"}});
  }
  return Space(std::move(variables));
}

/// Without memory this took time exponential in the number of variables, and a frame of the stack for each.
TEST(Conditions, ChainsTakeTimeInProportion) {
  const Space wide = chained(60, 2);
  Point point(60, 1.0);
  EXPECT_TRUE(wide.active(59, point));
  EXPECT_EQ(wide.active(point), std::vector<bool>(60, true));
  point[40] = 2.0;
  std::vector<bool> some(60, true);
  std::fill(some.begin() + 41, some.end(), false);
  EXPECT_EQ(wide.active(point), some);
  for (std::size_t j = 0; j < 60; ++j) EXPECT_EQ(wide.active(j, point), some[j]) << j;
  EXPECT_EQ(wide.settled(point)[41], 1.0);
  const Space deep = chained(8000, 1);
  EXPECT_TRUE(deep.active(7999, Point(8000, 0.0)));
  EXPECT_EQ(initial_design(deep, DesignKind::latin_hypercube, 3, 1).size(), 3U);
  EXPECT_FALSE(deep.active(7999, deep.settled(Point(8000, 2.0))));
}

TEST(Conditions, OfTwoOnOneVariableBothMustHold) {
  const Space space({{.name = "s", .kind = Variable::Kind::categorical, .choices = {"a", "b", "c"}},
                     {.name = "x", .when = {{"s", {"b", "a", "b"}}, {"s", {"c", "b"}}}}});
  EXPECT_EQ(space.active(Point{0.0, 0.5}), (std::vector<bool>{true, false}));
  EXPECT_EQ(space.active(Point{1.0, 0.5}), (std::vector<bool>{true, true}));
  EXPECT_EQ(space.active(Point{2.0, 0.5}), (std::vector<bool>{true, false}));
}

/// Whoever writes them means "a or c".
TEST(Conditions, TwoThatExcludeEachOtherAreRefused) {
  const auto make = [] {
    return Space({{.name = "s", .kind = Variable::Kind::categorical, .choices = {"a", "b", "c"}},
                  {.name = "y", .when = {{"s", {"a", "b"}}, {"s", {"c"}}}}});
  };
  EXPECT_THAT(message_of<ConfigError>(make),
              HasSubstr("variable 'y': its conditions on 's' have no value in common, so that it would never count"));
}

/// As a crafted study may have them; one after the other, each value took a search through all choices.
TEST(Conditions, ManyChoicesAreReadAtOnce) {
  std::vector<std::string> choices;
  choices.reserve(100000);
  for (int k = 0; k < 100000; ++k) choices.push_back(fmt::format("a long choice of which only the end differs: {}", k));
  const Space space({{.name = "s", .kind = Variable::Kind::categorical, .choices = choices},
                     {.name = "x", .when = {{"s", choices}}}});
  EXPECT_TRUE(space.active(1, Point{99999.0, 0.5}));
}

TEST(Conditions, SpacesHaveALimit) {
  EXPECT_EQ(Space::box(10000, 0.0, 1.0).size(), 10000U);
  EXPECT_THAT(message_of<ConfigError>([] { return Space::box(10001, 0.0, 1.0); }),
              HasSubstr("at most 10000 variables, got 10001"));
}

std::string error_of(const std::string& variables) {
  return message_of<ConfigError>([&] { return parse_study_file(variables, "space.toml"); });
}

TEST(Conditions, MistakesAreExplained) {
  const std::string solver = "[[variables]]\nname = \"s\"\ntype = \"categorical\"\nchoices = [\"a\", \"b\"]\n";
  const std::string x = "[[variables]]\nname = \"x\"\nlow = 0\nhigh = 1\n";
  EXPECT_THAT(error_of(x + "when = {s = \"a\"}\n" + solver), HasSubstr("list the variable that decides first"));
  EXPECT_THAT(error_of(solver + x + "when = \"a\"\n"),
              HasSubstr("line 9: when must be of the form {variable = value}"));
  EXPECT_THAT(error_of(solver + x + "when = {s = 0.5}\n"), HasSubstr("texts or whole numbers"));
  EXPECT_THAT(error_of(solver + x + "when = {s = []}\n"), HasSubstr("gives no value of 's'"));
  EXPECT_THAT(error_of(solver + x + "when = {s = \"a\", s = \"b\"}\n"), HasSubstr("line 9: "));
  EXPECT_THAT(error_of(x + "[[variables]]\nname = \"y\"\nlow = 0\nhigh = 1\nwhen = {x = 1}\n"),
              HasSubstr("'x', which is real; only categorical and integer variables can decide"));
  EXPECT_THAT(error_of("[[variables]]\nname = \"n\"\ntype = \"integer\"\nlow = 1\nhigh = 3\n" + x + "when = {n = 7}\n"),
              HasSubstr("'when' asks for n = 7, which is not a whole number between 1 and 3"));
  EXPECT_THAT(error_of(solver + x + "when = {s = \"a\"}\n[[constraints]]\nterms = {x = 1}\nat_most = 0.5\n"),
              HasSubstr("a constraint cannot contain 'x', which is only active when s = a"));
  EXPECT_THAT(
      message_of<DataError>([&] { return parse_study_file(solver + x + "when = {s = \"c\"}\n", "space.toml"); }),
      HasSubstr("'s' has no choice 'c'; it has a, b"));
}

/// The best is 0, at cg with restart 2 and drop 0.6.
double solve(const Space& space, const Point& p) {
  const double base = 0.5 * (p[3] - 0.2) * (p[3] - 0.2);
  if (p[0] == 1.0) return base + 0.4;
  if (p[0] == 2.0) return base + 0.3;
  const double restart = 0.05 * (p[1] - 2.0) * (p[1] - 2.0);
  return base + restart + (space.active(2, p) ? (p[2] - 0.6) * (p[2] - 0.6) : 0.1);
}

TEST_F(StudyFiles, AConditionalStudyFindsItsOptimumAndVerifies) {
  const Space space = conditional();
  OptimizeSpec spec;
  spec.seed = 3;
  Study study = Study::create(file(), space, spec, one_thread());
  EXPECT_EQ(Study::open(file()).space(), space);
  for (int i = 0; i < 36; ++i) {
    const Trial trial = study.ask();
    EXPECT_EQ(trial.point, space.settled(trial.point));
    study.tell(trial, solve(space, trial.point));
  }
  EXPECT_LT(*study.best()->value, 0.02);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 36);
}

TEST(Conditions, FiniteSpacesEndWhenEveryMeaningHasBeenTried) {
  const Space space({{.name = "s", .kind = Variable::Kind::categorical, .choices = {"a", "b"}},
                     {.name = "n", .kind = Variable::Kind::integer, .low = 1, .high = 4, .when = {{"s", {"a"}}}}});
  EXPECT_EQ(space.count(), 8U);
  EXPECT_EQ(space.feasible_count(), 5U);
  Study study(space, {}, one_thread());
  for (const Trial& trial : study.ask(20)) study.tell(trial, trial.point[1]);
  while (!study.finished()) {
    const Trial trial = study.ask();
    study.tell(trial, trial.point[1]);
  }
  EXPECT_EQ(study.status().trials, 5);
}

}  // namespace
}  // namespace nomu
