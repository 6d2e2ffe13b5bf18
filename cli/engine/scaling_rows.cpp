#include "engine/scaling_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "engine/benchmark.hpp"
#include "engine/benchmark_cases.hpp"
#include "nomu/bo/proposal.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/random.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/request.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

Progress silent() { return {.report = {}, .stop = HeedInterrupts::token()}; }

template <class F>
double seconds_of(const F& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A smooth function of a few inputs with noise.
DataSet made_up(std::size_t rows, std::size_t cols) {
  Random random(1);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) inputs.push_back(random.uniform(-1.0, 1.0));
    const std::span<const double> x = std::span(inputs).last(cols);
    targets.push_back(std::sin(3.0 * x[0]) + x[1] * x[2] + 0.5 * x[3] * x[3] + 0.1 * random.normal());
  }
  return make_dataset(std::move(inputs), cols, std::move(targets));
}

ScalingRow step_row(const std::string& file) {
  const auto found = std::ranges::find(benchmark_cases(), file, &BenchmarkCase::file);
  BenchmarkSpec spec;
  apply_toml(fields_of(spec), found->toml, file);
  spec.repeats = 1;
  return {.name = fmt::format("{}, a step of one of {}", spec.name, spec.members),
          .unit = "us",
          .measure = [spec](const auto& engine) { return run_benchmark(spec, *engine, silent()).us_per_network_step; },
          .benchmark = found->toml};
}

ScalingRow fit_row(std::string name, const std::string& method, std::size_t rows, std::size_t cols) {
  return {.name = std::move(name), .unit = "s", .measure = [method, data = made_up(rows, cols)](const auto& engine) {
            return seconds_of([&] { (void)fit(FitRequest{.method = method}, data, engine, silent()); });
          }};
}

/// Every row needs the predictions of all fold models.
ScalingRow bounds_row() {
  return {
      .name = "bounds of 20,000 x 20 (CV+)", .unit = "s", .measure = [](const auto& engine) {
        // What the networks learned does not matter to the time.
        const Model model = fit(FitRequest{.settings = {{"train.epochs", "4"}}}, made_up(150, 20), engine, silent());
        const DataSet rows = made_up(20'000, 20);
        return seconds_of([&] { (void)model.bounds(rows.inputs, 0.9); });
      }};
}

/// A search in five dimensions with the paper's networks, which are wide: a batch of DIRECT has few rows for each.
ScalingRow direct_row() {
  return {
      .name = "DIRECT, 1,000 points, R3's nets", .unit = "s", .measure = [](const auto& engine) {
        NomuSpec spec = NomuSpec::published(5);
        spec.train.epochs = 1;
        const auto fitted = fit(spec, repeat(made_up(8, 5), std::vector<std::uint64_t>{1}), *engine, silent());
        ProposalSpec search{.direct = {.evaluations = 1'000}, .threads = engine->info().threads};
        const RunKnowledge knowledge;
        return seconds_of([&] { (void)propose(*fitted, Space::box(5, -1.0, 1.0), {&knowledge, 1}, search, silent()); });
      }};
}

}  // namespace

std::vector<ScalingRow> scaling_rows() {
  return {step_row("r1"),
          step_row("r2"),
          step_row("r3"),
          fit_row("fit of 1,000 x 8", "nomu", 1'000, 8),
          fit_row("fit of 150 x 20 (CV+)", "nomu", 150, 20),
          fit_row("fit of 50,000 x 10", "nomu", 50'000, 10),
          fit_row("Gaussian process of 500 x 5", "gp", 500, 5),
          bounds_row(),
          direct_row()};
}

}  // namespace nomu::cli
