#include "engine/scaling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/benchmark.hpp"
#include "engine/benchmark_cases.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/random.hpp"
#include "nomu/models/request.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Row {
  std::string name, unit;
  std::function<double(const std::shared_ptr<Engine>&)> measure;
};

Progress silent() { return {.report = {}, .stop = interrupts().get_token()}; }

/// A smooth function of a few inputs with noise.
DataSet made_up(std::size_t rows, std::size_t cols) {
  DataSet data;
  Random random(1);
  for (std::size_t j = 0; j < cols; ++j) data.input_names.push_back(fmt::format("x{}", j));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) data.inputs.push_back(random.uniform(-1.0, 1.0));
    const std::span<const double> x = std::span(data.inputs).last(cols);
    data.targets.push_back(std::sin(3.0 * x[0]) + x[1] * x[2] + 0.5 * x[3] * x[3] + 0.1 * random.normal());
  }
  return data;
}

Row fit_row(std::string name, std::size_t rows, std::size_t cols) {
  return {.name = std::move(name), .unit = "s", .measure = [data = made_up(rows, cols)](const auto& engine) {
            const auto begin = Clock::now();
            (void)fit(FitRequest{}, data, engine, silent());
            return std::chrono::duration<double>(Clock::now() - begin).count();
          }};
}

Row step_row(const std::string& file) {
  const auto found = std::ranges::find(benchmark_cases(), file, &BenchmarkCase::file);
  BenchmarkSpec spec;
  apply_toml(fields_of(spec), found->toml, file);
  spec.repeats = 1;
  return {.name = fmt::format("{}, a step of one of {}", spec.name, spec.members),
          .unit = "us",
          .measure = [spec](const auto& engine) { return run_benchmark(spec, *engine, silent()).us_per_network_step; }};
}

double median_of_three(const Row& row, const std::shared_ptr<Engine>& engine) {
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) times.push_back(row.measure(engine));
  std::ranges::sort(times);
  return times[1];
}

}  // namespace

void print_scaling(const EngineOptions& limit, bool json) {
  const std::int64_t most = make_engine(limit)->info().threads;
  std::vector<std::shared_ptr<Engine>> engines;
  for (std::int64_t threads = 1; threads <= most; threads = threads < most ? std::min(2 * threads, most) : most + 1) {
    EngineOptions options = limit;
    options.threads = threads;
    engines.push_back(make_engine(options));
  }
  const EngineInfo info = engines.back()->info();
  if (!json) {
    print("{}, {} {}; medians of three\n{:<32}", info.device, info.provider, info.isa, "threads");
    for (const auto& engine : engines) print(" {:>9}", engine->info().threads);
    print("\n");
  }
  for (const Row& row : {step_row("r1"), step_row("r2"), step_row("r3"), fit_row("fit of 1,000 x 8", 1'000, 8),
                         fit_row("fit of 150 x 20 (CV+)", 150, 20), fit_row("fit of 50,000 x 10", 50'000, 10)}) {
    if (!json) print("{:<32}", fmt::format("{} [{}]", row.name, row.unit));
    for (const auto& engine : engines) {
      const double time = median_of_three(row, engine);
      if (json) {
        print("{}\n", nlohmann::json{{"row", row.name},
                                     {"unit", row.unit},
                                     {"threads", engine->info().threads},
                                     {"time", time},
                                     {"provider", info.provider},
                                     {"isa", info.isa},
                                     {"device", info.device}}
                          .dump());
      } else {
        print(" {:>9.4g}", time);
      }
    }
    if (!json) print("\n");
  }
}

}  // namespace nomu::cli
