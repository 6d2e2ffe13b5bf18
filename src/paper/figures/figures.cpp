#include "paper/figures/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/readout.hpp"
#include "paper/figures/method_plot.hpp"
#include "paper/figures/worst_case.hpp"
#include "paper/kinds/solar.hpp"
#include "paper/problems/data_files.hpp"
#include "paper/problems/functions.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/figures";

PlotSubject function_subject(const ExperimentSpec& spec, const std::string& name, std::size_t d) {
  const TestFunction function = find_function(name, d);
  const PaperInputs inputs =
      paper_inputs(static_cast<std::uint32_t>(spec.first_seed), static_cast<std::size_t>(spec.rows), 1, d);
  return {.title = {},
          .train = make_dataset(inputs.train, d, evaluate_rows(function, inputs.train)),
          .truth = [function](std::span<const double> x) { return evaluate_rows(function, x); }};
}

/// `side` equidistant points along each input.
PlotSubject grid_subject(const std::string& name, std::size_t d, std::size_t side) {
  const TestFunction function = find_function(name, d);
  const auto at = [side](std::size_t i) { return -1.0 + 2.0 * static_cast<double>(i) / static_cast<double>(side - 1); };
  std::vector<double> x;
  for (std::size_t i = 0; i < side; ++i) {
    if (d == 1) x.push_back(at(i));
    for (std::size_t j = 0; d == 2 && j < side; ++j) x.insert(x.end(), {at(i), at(j)});
  }
  std::vector<double> y = evaluate_rows(function, x);
  return {.title = {},
          .train = make_dataset(std::move(x), d, std::move(y)),
          .truth = [function](std::span<const double> points) { return evaluate_rows(function, points); }};
}

PlotSubject solar_subject(const ExperimentSpec& spec, const std::string& split) {
  std::uint32_t seed = 1;
  const bool made = split == "made";
  if (!made) {
    const char* const last = split.data() + split.size();
    const auto [end, error] = std::from_chars(split.data(), last, seed);
    if (error != std::errc{} || end != last)
      throw ConfigError(
          where, fmt::format("there is no figure 'solar-{}'; give the seed of a split, such as solar-655", split));
  }
  const DataSet years = made ? synthetic_years() : read_solar(spec.data);
  RunData rows = solar_rows(years, seed);
  return {.title = {},
          .train = std::move(rows.train),
          .test = std::move(rows.test),
          .half_range = 1.0,
          .x_units = fit_scaling(years.inputs, 1, ScalingKind::min_max),
          .y_units = fit_scaling(years.targets, 1, ScalingKind::min_max),
          .x_label = "year",
          .y_label = "total irradiance, W/m2"};
}

PlotSubject subject_of(const ExperimentSpec& spec, const std::string& name) {
  const auto dash = name.rfind('-');
  const std::string kind = name.substr(0, name.find('-'));
  const std::string rest = dash == std::string::npos ? "" : name.substr(dash + 1);
  if (name == "d4-line") return grid_subject("sine3_detrended", 1, 16);
  if (name == "d4-plane") return grid_subject("step", 2, 4);
  if (kind == "map") return function_subject(spec, rest, 2);
  if (kind == "solar") return solar_subject(spec, rest);
  return function_subject(spec, rest, 1);
}

double factor_of(const ExperimentMethod& method) {
  if (method.protocol.empty()) return 1.0;
  constexpr std::string_view prefix = "c=";
  double c = 0.0;
  if (method.protocol.starts_with(prefix)) {
    const char* const last = method.protocol.data() + method.protocol.size();
    const auto [end, error] = std::from_chars(method.protocol.data() + prefix.size(), last, c);
    if (error == std::errc{} && end == last && c > 0.0) return c;
  }
  throw ConfigError(where, fmt::format("method '{}': protocol must be a factor on sigma such as c=5, got '{}'",
                                       method.name, method.protocol));
}

Plot panel(const ExperimentSpec& spec, const ExperimentMethod& method, PlotSubject subject, Engine& engine,
           const Progress& progress) {
  subject.c = factor_of(method);
  subject.title = subject.c == 1.0 ? method.title : fmt::format("{} (c = {})", method.title, subject.c);
  const std::size_t d = subject.train.cols();
  const MethodSpec resolved = method.spec(subject.train.rows(), d);
  subject.show_sigma = d == 1 && has_readout(resolved);
  const std::vector<std::uint64_t> seeds{static_cast<std::uint64_t>(spec.first_seed)};
  const auto fitted = fit(resolved, repeat(subject.train, seeds), engine, progress);
  if (fitted->reports()[0].diverged) {
    throw Error(where, fmt::format("the fit of '{}' diverged, even after {} restarts", method.name,
                                   fitted->reports()[0].restarts));
  }
  return d == 1 ? line_plot(subject, *fitted) : map_plot(subject, *fitted);
}

/// The readout map for three pairs of limits (Appendix K).
Plot readout_plot() {
  Plot plot;
  plot.title = "Readout map";
  plot.x.label = "raw sigma";
  plot.y.label = "sigma";
  for (const auto& [low, high] : {std::pair{0.001, 2.0}, std::pair{0.1, 1.0}, std::pair{0.5, 0.75}}) {
    const Readout readout{.sigma_min = low, .sigma_max = high};
    PlotLine line{.name = fmt::format("sigma_min {}, sigma_max {}", low, high)};
    for (int i = -50; i <= 250; ++i) {
      line.x.push_back(0.02 * i);
      line.y.push_back(readout(line.x.back()));
    }
    plot.layers.emplace_back(std::move(line));
  }
  return plot;
}

/// The ten functions of one input (Figure 3).
std::string functions_figure() {
  std::vector<Plot> panels;
  for (const std::string& name : function_names(1)) {
    if (name == "sine3_detrended") continue;  // of Appendix D.4 only
    PlotLine line;
    for (int i = -200; i <= 200; ++i) line.x.push_back(0.005 * i);
    line.y = evaluate_rows(find_function(name, 1), line.x);
    Plot plot;
    plot.title = name;
    plot.layers.emplace_back(std::move(line));
    panels.push_back(std::move(plot));
  }
  return render_svg_grid(panels, {.title = "functions", .columns = 5, .cell = {.width = 240, .height = 200}});
}

}  // namespace

std::string draw_figure(const ExperimentSpec& spec, const std::string& name, Engine& engine, const Progress& progress) {
  if (name == "readout") return render_svg(readout_plot());
  if (name == "functions") return functions_figure();
  if (name == "worst-case") {
    const std::vector<Plot> both{worst_case_plot(false), worst_case_plot(true)};
    return render_svg_grid(both, {.title = name, .columns = 2, .cell = {.width = 460, .height = 320}});
  }
  const PlotSubject subject = subject_of(spec, name);
  std::vector<Plot> panels;
  for (const ExperimentMethod& method : spec.methods) {
    if (std::ranges::find(method.problems, name) == method.problems.end()) continue;
    panels.push_back(panel(spec, method, subject, engine, progress));
  }
  if (panels.empty())
    throw ConfigError(where, fmt::format("no method of the experiment lists the figure '{}' among its problems", name));
  const bool map = subject.train.cols() == 2;
  const std::size_t columns = panels.size() < 4 ? panels.size() : panels.size() == 4 ? 2 : 3;
  return render_svg_grid(panels,
                         {.title = name,
                          .columns = columns,
                          .cell = map ? PlotSize{.width = 440, .height = 380} : PlotSize{.width = 460, .height = 320}});
}

}  // namespace nomu
