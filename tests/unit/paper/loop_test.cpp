#include "paper/kinds/loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/random.hpp"
#include "paper/kinds/loop_record.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

std::vector<LoopRun> runs_of(const TestFunction& function, std::size_t count, std::size_t initial = 5) {
  std::vector<LoopRun> runs;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    LoopRun run{.evaluate = function.evaluate, .initial = {}, .seed = seed};
    Random random(seed, 77);
    for (std::size_t e = 0; e < initial * function.dimension; ++e) run.initial.push_back(random.uniform(-1.0, 1.0));
    runs.push_back(std::move(run));
  }
  return runs;
}

LoopSpec small(const MethodSpec& method) {
  return {.method = method, .steps = 6, .mean_width = 0.5, .direct = {.evaluations = 200}, .width_points = 300};
}

GpSpec paper_gp() {
  GpSpec spec = GpSpec::published();
  spec.target = GpSpec::Target::standardised;
  spec.sigma_floor = 1e-6;
  return spec;
}

NomuSpec small_nomu() {
  NomuSpec spec = NomuSpec::written(2);
  spec.mean_net.hidden = spec.sigma_net.hidden = {16};
  spec.train.epochs = 60;
  spec.augment.count = 32;
  return spec;
}

TEST(Loop, ARunIsTheSameAloneAndInCompany) {
  const auto engine = make_engine({.threads = 1});
  const TestFunction function = find_function("branin", 2);
  const std::vector<LoopRun> runs = runs_of(function, 3);
  const std::vector<LoopTrace> together = run_loops(small(small_nomu()), runs, 2, *engine);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto alone = run_loops(small(small_nomu()), std::span(&runs[r], 1), 2, *engine);
    EXPECT_EQ(together[r].points, alone[0].points);
    EXPECT_EQ(together[r].c, alone[0].c);
  }
  EXPECT_EQ(together[0].values.size(), 11U);
  EXPECT_EQ(together[0].doublings.size(), 6U);
}

TEST(Loop, StoppedRunsContinueFromTheirRecord) {
  const auto engine = make_engine({.threads = 1});
  const std::vector<LoopRun> runs = runs_of(find_function("branin", 2), 2);
  const LoopSpec spec = small(small_nomu());
  const std::vector<LoopTrace> whole = run_loops(spec, runs, 2, *engine);
  const std::filesystem::path record = std::filesystem::path(testing::TempDir()) / "nomu_loop_record" / "steps.json";
  std::filesystem::remove_all(record.parent_path());
  std::stop_source stop;
  const Progress three_steps{.report =
                                 [&](const ProgressEvent& event) {
                                   if (event.done == 3) stop.request_stop();
                                 },
                             .stop = stop.get_token()};
  EXPECT_THROW((void)run_loops(spec, runs, 2, *engine, three_steps, record), Cancelled);
  ASSERT_TRUE(std::filesystem::exists(record));
  std::int64_t steps = 0;
  const Progress counting{.report = [&](const ProgressEvent&) { ++steps; }, .stop = {}};
  const std::vector<LoopTrace> continued = run_loops(spec, runs, 2, *engine, counting, record);
  EXPECT_EQ(steps, 3);
  EXPECT_FALSE(std::filesystem::exists(record));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    EXPECT_EQ(continued[r].points, whole[r].points);
    EXPECT_EQ(continued[r].values, whole[r].values);
    EXPECT_EQ(continued[r].doublings, whole[r].doublings);
    EXPECT_EQ(continued[r].c, whole[r].c);
  }
}

TEST(Loop, ARecordOfOtherRunsIsRefused) {
  const auto engine = make_engine({.threads = 1});
  const std::vector<LoopRun> runs = runs_of(find_function("branin", 2), 3);
  const std::filesystem::path record = std::filesystem::path(testing::TempDir()) / "nomu_loop_other.json";
  LoopSpec random;
  random.steps = 2;
  write_traces(record, run_loops(random, std::span(runs).first(2), 2, *engine));
  const auto message = [&](std::span<const LoopRun> these) {
    return message_of<DataError>([&] { return run_loops(random, these, 2, *engine, {}, record); });
  };
  EXPECT_THAT(message(runs), HasSubstr("delete it to start them anew"));
  EXPECT_THAT(message(std::span(runs).last(2)), HasSubstr("nomu_loop_other.json"));
  write_file_atomically(record, "[{\"points\": 1}]");
  EXPECT_THAT(message(std::span(runs).first(1)), HasSubstr("does not hold the first steps"));
}

TEST(Loop, AWarmStartGoesOnFromAnEarlierModel) {
  const auto engine = make_engine({.threads = 1});
  const TestFunction function = find_function("branin", 2);
  const std::vector<LoopRun> runs = runs_of(function, 2);
  LoopSpec warm = small(small_nomu());
  warm.warm_epochs = 60;
  const std::vector<LoopTrace> together = run_loops(warm, runs, 2, *engine);
  const std::vector<LoopTrace> cold = run_loops(small(small_nomu()), runs, 2, *engine);
  const std::vector<LoopTrace> alone = run_loops(warm, std::span(&runs[1], 1), 2, *engine);
  EXPECT_EQ(together[1].points, alone[0].points);
  // The first step starts anew either way.
  const std::size_t first = 6 * std::size_t{2};
  EXPECT_TRUE(std::equal(cold[0].points.begin(), cold[0].points.begin() + first, together[0].points.begin()));
  EXPECT_NE(together[0].points, cold[0].points);
  LoopSpec gp = small(GpSpec::published());
  gp.warm_epochs = 10;
  EXPECT_THAT(message_of<ConfigError>([&] { return run_loops(gp, runs, 2, *engine); }),
              HasSubstr("gp cannot continue"));
}

TEST(Loop, GpBeatsRandomSearchOnASmoothFunction) {
  const auto engine = make_engine({.threads = 1});
  const TestFunction function = find_function("bo_levy", 2);
  const std::vector<LoopRun> runs = runs_of(function, 4, 8);
  LoopSpec gp = small(paper_gp());
  gp.dynamic = DynamicC::as_published();
  gp.steps = 12;
  gp.direct.evaluations = 500;
  gp.width_points = 500;
  LoopSpec random;
  random.steps = 12;
  double better = 0.0;
  double worse = 0.0;
  for (const LoopTrace& trace : run_loops(gp, runs, 2, *engine)) better += regret(trace.values, 1.0).back();
  for (const LoopTrace& trace : run_loops(random, runs, 2, *engine)) worse += regret(trace.values, 1.0).back();
  EXPECT_LT(better, 0.7 * worse);
}

TEST(Loop, TheVarianceMayStandForSigma) {
  const auto engine = make_engine({.threads = 1});
  const std::vector<LoopRun> runs = runs_of(find_function("branin", 2), 1);
  LoopSpec spec = small(paper_gp());
  spec.mean_width.reset();
  const std::vector<double> by_sigma = run_loops(spec, runs, 2, *engine)[0].points;
  spec.variance_as_sigma = true;
  EXPECT_NE(run_loops(spec, runs, 2, *engine)[0].points, by_sigma);
}

TEST(Loop, RegretFallsAndIsRelative) {
  const std::vector<double> values{1.0, 3.0, 2.0, 4.0};
  EXPECT_EQ(regret(values, 5.0), (std::vector<double>{0.8, 0.4, 0.4, 0.2}));
}

TEST(Loop, DirectFindsTheOptimumOfAFunctionWithoutFormula) {
  const TestFunction function = find_function("branin", 2);
  const double found = direct_optimum([&](std::span<const double> x) { return evaluate_rows(function, x); }, 2, 2000);
  ASSERT_TRUE(function.maximum);
  EXPECT_NEAR(found, function.maximum->value, 1e-3);
}

TEST(Loop, WrongInputIsNamed) {
  const auto engine = make_engine({.threads = 1});
  const LoopSpec random;
  EXPECT_THAT(message_of<ConfigError>([&] { return run_loops(random, {}, 2, *engine); }),
              HasSubstr("there are no runs"));
  std::vector<LoopRun> runs = runs_of(find_function("branin", 2), 2);
  runs[1].initial.pop_back();
  EXPECT_THAT(message_of<ConfigError>([&] { return run_loops(random, runs, 2, *engine); }), HasSubstr("same number"));
  runs = runs_of(find_function("branin", 2), 1);
  runs[0].evaluate = [](std::span<const double>) { return NAN; };
  EXPECT_THAT(message_of([&] { return run_loops(random, runs, 2, *engine); }), HasSubstr("run 0 returned nan"));
}

}  // namespace
}  // namespace nomu
