#include "nomu/bo/direct.hpp"

#include <gtest/gtest.h>
#include <nlopt.h>

#include <cmath>
#include <limits>

#include "message_of.hpp"
#include "paper/problems/functions.hpp"

namespace nomu {
namespace {

using Function = std::function<double(std::span<const double>)>;

/// Points [n][d] that NLopt visits when it minimises -f on [-1,1]^d, in order.
std::vector<double> visited_by_nlopt(const Function& f, std::size_t d, int evaluations) {
  struct Trace {
    const Function& f;
    std::vector<double> points;
  } trace{f, {}};
  nlopt_opt opt = nlopt_create(NLOPT_GN_ORIG_DIRECT, static_cast<unsigned>(d));
  nlopt_set_min_objective(
      opt,
      [](unsigned n, const double* x, double*, void* data) {
        auto& t = *static_cast<Trace*>(data);
        t.points.insert(t.points.end(), x, x + n);
        return -t.f(std::span<const double>(x, n));
      },
      &trace);
  nlopt_set_lower_bounds1(opt, -1.0);
  nlopt_set_upper_bounds1(opt, 1.0);
  nlopt_set_param(opt, "magic_eps", 1e-4);
  nlopt_set_maxeval(opt, evaluations);
  std::vector<double> x(d, 0.0);
  double value = 0.0;
  nlopt_optimize(opt, x.data(), &value);
  nlopt_destroy(opt);
  return trace.points;
}

std::vector<double> to_box(std::span<const double> unit) {
  std::vector<double> x(unit.begin(), unit.end());
  for (double& v : x) v = (v - 0.5) * 2.0;
  return x;
}

std::vector<double> visited(const Function& f, std::size_t d, int evaluations) {
  std::vector<double> all;
  Direct search(d, {.evaluations = evaluations});
  while (!search.finished()) {
    const std::vector<double> x = to_box(search.ask());
    all.insert(all.end(), x.begin(), x.end());
    std::vector<double> values;
    for (std::size_t i = 0; i < x.size(); i += d) values.push_back(f(std::span<const double>(x).subspan(i, d)));
    search.tell(values);
  }
  return all;
}

void expect_same_points(const Function& f, std::size_t d, int evaluations, const std::string& name) {
  const std::vector<double> theirs = visited_by_nlopt(f, d, evaluations);
  const std::vector<double> ours = visited(f, d, evaluations);
  ASSERT_GE(theirs.size(), static_cast<std::size_t>(evaluations) * d) << name;
  const std::size_t count = std::min(theirs.size(), ours.size());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_NEAR(ours[i], theirs[i], 1e-12) << name << " in " << d << "D: evaluation " << i / d;
  }
  // NLopt runs out of its own memory first where an iteration divides everything.
  EXPECT_GE(ours.size(), theirs.size()) << name << " in " << d << "D";
}

TEST(Direct, VisitsThePointsOfNloptInTheirOrder) {
  for (const char* name : {"bo_levy", "bo_rosenbrock", "bo_g_function", "bo_perm"}) {
    for (const std::size_t d : {2U, 5U, 10U}) expect_same_points(find_function(name, d).evaluate, d, 2000, name);
  }
  for (const char* name : {"branin", "camel", "sphere", "bukin6", "step"}) {
    expect_same_points(find_function(name, 2).evaluate, 2, 1500, name);
  }
}

TEST(Direct, VisitsThePointsOfNloptWhereValuesAreEqual) {
  const Function symmetric = [](std::span<const double> x) {
    double sum = 0.0;
    for (const double v : x) sum += std::abs(v);
    return sum;
  };
  const Function constant = [](std::span<const double>) { return 1.0; };
  const Function rough = [](std::span<const double> x) {
    double sum = 0.0;
    for (const double v : x) sum += std::round(4.0 * v * v - 2.0 * v);
    return -sum;
  };
  for (const std::size_t d : {1U, 2U, 3U, 5U}) {
    expect_same_points(rough, d, 800, "rough");
    expect_same_points(symmetric, d, 800, "symmetric");
    expect_same_points(constant, d, 800, "constant");
  }
}

/// Runs a search of f on the unit cube to its end.
Direct searched(std::size_t d, const DirectSpec& spec, const Function& f) {
  std::vector<Direct> search{Direct(d, spec)};
  run_together(search, [&](const DirectBatch& batch) {
    std::vector<double> values;
    for (std::size_t i = 0; i < batch.points.size(); i += d) values.push_back(f(batch.points.subspan(i, d)));
    return values;
  });
  return search.front();
}

double peak(std::span<const double> x, double at) {
  double sum = 0.0;
  for (const double v : x) sum += (v - at) * (v - at);
  return 1.0 - sum;
}

TEST(Direct, FindsThePeakAndKeepsItsLimits) {
  const Function f = [](std::span<const double> x) { return peak(x, 0.3); };
  const Direct search = searched(3, {.evaluations = 1000}, f);
  for (const double v : search.best()) EXPECT_NEAR(v, 0.3, 2e-3);
  EXPECT_DOUBLE_EQ(search.best_value(), f(search.best()));
  EXPECT_GT(search.evaluations(), 1000);
  EXPECT_EQ(searched(3, {.evaluations = 5000, .iterations = 7}, f).iterations(), 7);
}

TEST(Direct, InfeasiblePointsAreLookedPast) {
  // Only a corner that the centre is far from is feasible, and the peak lies on its border.
  const Function f = [](std::span<const double> x) {
    return x[0] + x[1] > 1.6 ? peak(x, 0.7) : std::numeric_limits<double>::quiet_NaN();
  };
  const Direct search = searched(2, {.evaluations = 2000}, f);
  ASSERT_FALSE(search.best().empty());
  EXPECT_NEAR(search.best_value(), 1.0 - 2 * 0.01, 2e-3);
}

TEST(Direct, NothingFeasibleHasNoBest) {
  const Direct search =
      searched(2, {.evaluations = 200}, [](auto) { return -std::numeric_limits<double>::infinity(); });
  EXPECT_TRUE(search.best().empty());
}

TEST(Direct, ManyRunsTogetherEqualEachAlone) {
  std::vector<Direct> together;
  together.reserve(3);
  for (int m = 0; m < 3; ++m) together.emplace_back(2, DirectSpec{.evaluations = 150 + 40 * m});
  run_together(together, [&](const DirectBatch& batch) {
    std::vector<double> values;
    std::size_t i = 0;
    for (std::size_t m = 0; m < batch.counts.size(); ++m) {
      for (std::size_t k = 0; k < batch.counts[m]; ++k, ++i) {
        values.push_back(peak(batch.points.subspan(2 * i, 2), 0.2 + 0.1 * static_cast<double>(m)));
      }
    }
    return values;
  });
  for (int m = 0; m < 3; ++m) {
    const Direct alone =
        searched(2, {.evaluations = 150 + 40 * m}, [&](std::span<const double> x) { return peak(x, 0.2 + 0.1 * m); });
    EXPECT_EQ(std::vector<double>(alone.best().begin(), alone.best().end()),
              std::vector<double>(together[m].best().begin(), together[m].best().end()));
    EXPECT_EQ(alone.evaluations(), together[m].evaluations());
  }
}

TEST(Direct, WrongInputIsNamed) {
  EXPECT_THAT(message_of<ConfigError>([] { return Direct(0, {}); }), testing::HasSubstr("at least one dimension"));
  EXPECT_THAT(message_of<ConfigError>([] { return Direct(1, {.evaluations = 0}); }),
              testing::HasSubstr("evaluations must be positive"));
  EXPECT_THAT(message_of([] {
                Direct search(2, {});
                search.tell(std::vector<double>{1.0, 2.0});
                return 0;
              }),
              testing::HasSubstr("1 points were asked for, but 2 values were given"));
}

}  // namespace
}  // namespace nomu
