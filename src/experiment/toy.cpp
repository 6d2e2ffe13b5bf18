#include "nomu/experiment/toy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "nomu/core/error.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/data/functions.hpp"

namespace nomu {
namespace {

Tensor<float> as_tensor(const std::vector<double>& values, std::size_t cols) {
  Tensor<float> tensor(1, values.size() / cols, cols);
  std::transform(values.begin(), values.end(), tensor.flat().begin(), [](double v) { return static_cast<float>(v); });
  return tensor;
}

std::vector<double> widened(const Tensor<float>& values) { return {values.flat().begin(), values.flat().end()}; }

DesiderataReport examine(const FittedCohort& fitted, const std::vector<double>& train, std::size_t d) {
  const auto rows = [d](std::span<const double> x) { return as_tensor({x.begin(), x.end()}, d); };
  DesiderataSubject subject{
      .sigma = [&](std::span<const double> x) { return widened(fitted.predict(rows(x)).sigma_model); },
      .mean = [&](std::span<const double> x) { return widened(fitted.predict(rows(x)).mean); }};
  if (!fitted.raw_sigma(as_tensor(train, d)).empty()) {
    subject.raw_sigma = [&](std::span<const double> x) { return widened(fitted.raw_sigma(rows(x))); };
  }
  return check_desiderata(train, subject, {.low = std::vector<double>(d, -1.1), .high = std::vector<double>(d, 1.1)});
}

/// The bounds f -+ c sigma along the line, the function, and the training points.
Plot bounds_plot(const std::string& title, const TestFunction& function, const std::vector<double>& train,
                 const FittedCohort& fitted, double c) {
  constexpr std::size_t points = 401;
  std::vector<double> x(points);
  for (std::size_t i = 0; i < points; ++i) x[i] = -1.1 + 2.2 * static_cast<double>(i) / (points - 1);
  const Prediction prediction = fitted.predict(as_tensor(x, 1));
  const std::vector<double> mean = widened(prediction.mean);
  std::vector<double> lower(points);
  std::vector<double> upper(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double half = c * static_cast<double>(prediction.sigma_model(0, i, 0));
    lower[i] = mean[i] - half;
    upper[i] = mean[i] + half;
  }
  std::vector<double> inside;
  std::copy_if(x.begin(), x.end(), std::back_inserter(inside), [](double v) { return v >= -1.0 && v <= 1.0; });
  Plot plot;
  plot.title = title;
  plot.x.label = "x";
  plot.y.label = "y";
  plot.layers.emplace_back(PlotBand{.name = fmt::format("mean -/+ {:.2f} sigma", c),
                                    .x = x,
                                    .lower = lower,
                                    .upper = upper,
                                    .color = PlotColor::blue});
  plot.layers.emplace_back(PlotLine{.name = "mean", .x = x, .y = mean, .color = PlotColor::blue});
  plot.layers.emplace_back(PlotLine{.name = "function",
                                    .x = inside,
                                    .y = evaluate_rows(function, inside),
                                    .color = PlotColor::ink,
                                    .stroke = PlotStroke::dashed});
  plot.layers.emplace_back(
      PlotPoints{.name = "training points", .x = train, .y = evaluate_rows(function, train), .color = PlotColor::ink});
  return plot;
}

}  // namespace

Fields fields_of(ToySpec& spec) {
  Fields f("experiment/toy");
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
  const Cohort cohort = repeat(make_dataset(inputs.train, d, evaluate_rows(function, inputs.train)), seeds);
  const auto fitted = fit(method, cohort, engine, progress);
  const FitReport& outcome = fitted->reports()[0];
  if (outcome.diverged) {
    throw Error(
        "experiment/toy",
        fmt::format("the fit diverged, after {} restarts too; try a smaller train.learning_rate or another seed",
                    outcome.restarts));
  }
  const Prediction prediction = fitted->predict(as_tensor(inputs.test, d));
  ToyReport report{.metrics = measure(prediction, 0, evaluate_rows(function, inputs.test)),
                   .desiderata = examine(*fitted, inputs.train, d),
                   .fit = outcome,
                   .c = 0.0,
                   .plot = {}};
  report.c = report.metrics.best_c;
  const std::string title =
      fmt::format("{} on {} points of {} (seed {})", method_title(method), spec.rows, spec.function, spec.seed);
  if (d == 1) report.plot = bounds_plot(title, function, inputs.train, *fitted, report.c);
  return report;
}

}  // namespace nomu
