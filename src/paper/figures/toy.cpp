#include "paper/figures/toy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "nomu/core/error.hpp"
#include "nomu/data/cohort.hpp"
#include "paper/figures/method_plot.hpp"
#include "paper/problems/functions.hpp"

namespace nomu {
namespace {

std::vector<double> widened(const Tensor<float>& values) { return {values.flat().begin(), values.flat().end()}; }

DesiderataReport check_toy_desiderata(const FittedCohort& fitted, const std::vector<double>& train, std::size_t d) {
  const auto rows = [d](std::span<const double> x) { return as_rows(x, d); };
  DesiderataSubject subject{
      .sigma = [&](std::span<const double> x) { return widened(fitted.predict(rows(x)).sigma_model); },
      .mean = [&](std::span<const double> x) { return widened(fitted.predict(rows(x)).mean); }};
  if (!fitted.raw_sigma(as_rows(train, d)).empty()) {
    subject.raw_sigma = [&](std::span<const double> x) { return widened(fitted.raw_sigma(rows(x))); };
  }
  return check_desiderata(train, subject, {.low = std::vector<double>(d, -1.1), .high = std::vector<double>(d, 1.1)});
}

}  // namespace

Fields fields_of(ToySpec& spec) {
  Fields f("paper/toy");
  f.add("function", spec.function, "test function, for example levy, forrester, kink");
  f.add("dimension", spec.dimension, Range::at_least(1), "input columns");
  f.add("rows", spec.rows, Range::at_least(2), "training points");
  f.add("test_rows", spec.test_rows, Range::at_least(1), "test points");
  f.add("seed", spec.seed, Range::between(0, 4294967295.0), "seed of the inputs");
  f.add("fit_seed", spec.fit_seed, Range::at_least(0), "seed of the fit");
  return f;
}

ToyReport run_toy(const ToySpec& spec, const MethodSpec& method, Engine& engine, const Progress& progress) {
  const auto d = static_cast<std::size_t>(spec.dimension);
  const TestFunction function = find_function(spec.function, d);
  const PaperInputs inputs = paper_inputs(static_cast<std::uint32_t>(spec.seed), static_cast<std::size_t>(spec.rows),
                                          static_cast<std::size_t>(spec.test_rows), d);
  const std::vector<std::uint64_t> seeds{static_cast<std::uint64_t>(spec.fit_seed)};
  DataSet rows = make_dataset(inputs.train, d, evaluate_rows(function, inputs.train));
  const Cohort cohort = repeat(rows, seeds);
  const auto fitted = fit(method, cohort, engine, progress);
  const FitReport& outcome = fitted->reports()[0];
  if (outcome.diverged) {
    throw Error(
        "paper/toy",
        fmt::format("the fit diverged, even after {} restarts; try a smaller train.learning_rate or another seed",
                    outcome.restarts));
  }
  const Prediction prediction = fitted->predict(as_rows(inputs.test, d));
  ToyReport report{.metrics = measure(prediction, 0, evaluate_rows(function, inputs.test)),
                   .desiderata = check_toy_desiderata(*fitted, inputs.train, d),
                   .fit = outcome,
                   .c = 0.0,
                   .plot = {}};
  report.c = report.metrics.best_c;
  const std::string title =
      fmt::format("{} on {} points of {} (seed {})", method_title(method), spec.rows, spec.function, spec.seed);
  if (d != 1) return report;
  report.plot = line_plot({.title = title,
                           .train = std::move(rows),
                           .truth = [&](std::span<const double> x) { return evaluate_rows(function, x); },
                           .c = report.c},
                          *fitted);
  return report;
}

}  // namespace nomu
