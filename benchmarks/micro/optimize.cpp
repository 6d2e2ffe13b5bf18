// What Bayesian optimisation costs: DIRECT in batches against one point at a time, a question at 10 variables and 100
// results, and a study of many trials. Usage: bench_optimize [direct|ask|trials [COUNT]]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include "nomu/bo/direct.hpp"
#include "nomu/bo/study.hpp"
#include "nomu/core/random.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/nomu.hpp"

namespace {

using namespace nomu;

template <class F>
double seconds_of(const F& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One search of mean + sigma of a 2 x 3 x 1024 NOMU net in five dimensions.
void bench_direct() {
  const auto engine = make_engine({.threads = 1});
  NomuSpec spec = NomuSpec::published(5);
  spec.train.epochs = 1;
  Random random(1);
  std::vector<double> x(40);
  for (double& v : x) v = random.uniform(-1.0, 1.0);
  const DataSet data = make_dataset(x, 5, {0.1, -0.4, 0.8, 0.3, -0.9, 0.2, 0.5, -0.1});
  const auto fitted = fit(spec, repeat(data, std::vector<std::uint64_t>{1}), *engine);
  const auto values = [&](std::span<const double> units, std::size_t at_once) {
    std::vector<double> result;
    const std::size_t rows = units.size() / 5;
    for (std::size_t i = 0; i < rows; i += at_once) {
      Tensor<float> batch(1, std::min(at_once, rows - i), 5);
      for (std::size_t e = 0; e < batch.size(); ++e) batch.flat()[e] = static_cast<float>(2.0 * units[i * 5 + e] - 1.0);
      const Prediction p = fitted->predict(batch);
      for (std::size_t k = 0; k < batch.rows(); ++k)
        result.push_back(static_cast<double>(p.mean(0, k, 0) + p.sigma_model(0, k, 0)));
    }
    return result;
  };
  for (const std::size_t at_once : {std::size_t{1} << 20, std::size_t{1}}) {
    Direct search(5, {.evaluations = 5000});
    const double seconds = seconds_of([&] {
      while (!search.finished()) search.tell(values(search.ask(), at_once));
    });
    std::printf("direct, %s: %.3f s for %lld evaluations, best %.9f\n", at_once == 1 ? "point by point" : "in batches",
                seconds, static_cast<long long>(search.evaluations()), search.best_value());
  }
}

/// The interactive preset at 10 variables and 100 results.
void bench_ask() {
  OptimizeSpec spec;
  Study study(Space::box(10, -1.0, 1.0), spec, make_engine({.threads = 2}));
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    Point x(10);
    double y = 0.0;
    for (double& v : x) {
      v = random.uniform(-1.0, 1.0);
      y += (v - 0.2) * (v - 0.2);
    }
    (void)study.add(x, y);
  }
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    Trial trial;
    times.push_back(seconds_of([&] { trial = study.ask(); }));
    study.tell(trial, 1.0 + i);
  }
  std::sort(times.begin(), times.end());
  std::printf("ask, 10 variables, 100 results, two threads: median %.3f s, slowest %.3f s\n", times[4], times[8]);
}

/// One line: seconds on the clock and of the processor. Where others are at work only the second says what it costs.
template <class F>
void print_seconds(const char* what, const F& action) {
  const std::clock_t begin = std::clock();
  const double wall = seconds_of(action);
  std::printf("%-8s %8.4f s, %8.4f s of the processor\n", what, wall,
              static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
}

/// A study of many trials. `ask` is measured twice: with all of them, and with the few rows that the model gets of them
/// anyway, which is what it may cost.
void bench_trials(long count) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "nomu_bench_trials.db";
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
  OptimizeSpec spec;
  Study study = Study::create(file, Space::box(10, -1.0, 1.0), spec);
  Random random(3);
  Point x(10);
  const auto draw = [&] {
    for (double& v : x) v = random.uniform(-1.0, 1.0);
  };
  const double filling = seconds_of([&] {
    for (long i = 0; i < count; ++i) {
      draw();
      (void)study.add(x, x[0]);
    }
  });
  std::printf("%ld trials, each its own synced transaction: %.1f s\n", count, filling);
  print_seconds("status", [&] { (void)Study::open(file, StudyAccess::read).status(); });
  Trial trial;
  print_seconds("ask", [&] { trial = study.ask(); });
  print_seconds("tell", [&] { study.tell(trial, 0.0); });
  print_seconds("list", [&] { (void)Study::open(file, StudyAccess::read).trials(); });
  Study small(Space::box(10, -1.0, 1.0), spec);
  for (std::int64_t i = 0; i < spec.fit_rows; ++i) {
    draw();
    (void)small.add(x, x[0]);
  }
  print_seconds("ask, few", [&] { trial = small.ask(); });
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "all";
  if (what == "direct" || what == "all") bench_direct();
  if (what == "ask" || what == "all") bench_ask();
  if (what == "trials" || what == "all") bench_trials(argc > 2 ? std::atol(argv[2]) : 100000);
  return 0;
}
