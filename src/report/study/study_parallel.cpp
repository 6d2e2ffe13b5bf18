#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/page/view.hpp"
#include "report/study/study_figures.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_lines = 200;
constexpr std::size_t most_failures = 50;

bool better(double a, double b, Direction direction) { return direction == Direction::minimize ? a < b : a > b; }

/// Finished trials, the best first.
std::vector<const Trial*> ranked(const std::vector<Trial>& trials, Direction direction) {
  std::vector<const Trial*> finished;
  for (const Trial& trial : trials) {
    if (trial.value) finished.push_back(&trial);
  }
  std::stable_sort(finished.begin(), finished.end(),
                   [&](const Trial* x, const Trial* y) { return better(*x->value, *y->value, direction); });
  return finished;
}

/// A line down the variables to the result, if there is one.
PlotLine line_of(const Space& space, const Trial& trial, const PlotRange& values) {
  PlotLine line;
  line.x = space.to_unit(trial.point);
  if (trial.value) {
    const double range = values.high - values.low;
    line.x.push_back(range > 0.0 ? (*trial.value - values.low) / range : 0.5);
  }
  for (std::size_t j = 0; j < line.x.size(); ++j) line.y.push_back(-static_cast<double>(j));
  return line;
}

/// What an axis stands for: its name, and its ends or choices from left to right.
std::string axis_text(const Variable& variable) {
  if (variable.kind == Variable::Kind::categorical) {
    return fmt::format("{}: {}", variable.name, fmt::join(variable.choices, ", "));
  }
  return fmt::format("{}: {:.4g} to {:.4g}{}", variable.name, variable.low, variable.high, variable.log ? ", log" : "");
}

/// Axes lie one below the other, so that the whole width is there for a name, also on a phone.
void add_axes(Plot& plot, const Space& space, const PlotRange& values) {
  const auto add = [&](std::size_t place, std::string text) {
    const double at = -static_cast<double>(place);
    plot.layers.emplace_back(PlotRule{.at = at, .stroke = PlotStroke::solid});
    plot.layers.emplace_back(PlotNote{.text = std::move(text), .x = 0.0, .y = at + 0.12});
  };
  for (std::size_t j = 0; j < space.size(); ++j) add(j, axis_text(space.variables()[j]));
  add(space.size(), fmt::format("value: {:.4g} to {:.4g}", values.low, values.high));
}

}  // namespace

NamedPlot parallel_figure(const Space& space, const std::vector<Trial>& trials, Direction direction) {
  const std::vector<const Trial*> finished = ranked(trials, direction);
  const std::size_t leaders = std::max<std::size_t>(1, finished.size() / 10);
  std::vector<std::size_t> drawn = thinned_rows(finished.size(), most_lines);
  if (!finished.empty() && (drawn.empty() || drawn.front() != 0)) drawn.insert(drawn.begin(), 0);
  PlotRange values;
  if (!finished.empty()) {
    values = {*finished.front()->value, *finished.back()->value};
    if (values.low > values.high) std::swap(values.low, values.high);
  }
  NamedPlot figure{
      .name = "parallel",
      .plot = {},
      .caption =
          "Every trial as a line down the variables to its result, each from the lower end of its range on "
          "the left to the upper end; the best tenth in blue."};
  // The axes have their names beside them, so the plot's own has none, and no numbers.
  figure.plot.x = {.range = PlotRange{-0.02, 1.02}, .names = {"low", "high"}};
  figure.plot.y = {.range = PlotRange{-static_cast<double>(space.size()) - 0.3, 0.8}, .names = {" "}};
  std::size_t failures = 0;
  for (const Trial& trial : trials) {
    if (trial.state != TrialState::failed || ++failures > most_failures) continue;
    PlotLine line = line_of(space, trial, values);
    line.name = "failed";
    line.color = PlotColor::red;
    line.stroke = PlotStroke::dashed;
    figure.plot.layers.emplace_back(std::move(line));
  }
  if (failures > 0) figure.caption += fmt::format(" Dashed in red: trials that failed ({} in all).", failures);
  for (auto place = drawn.rbegin(); place != drawn.rend(); ++place) {
    PlotLine line = line_of(space, *finished[*place], values);
    const bool leads = *place < leaders;
    line.name = leads ? "best tenth" : "others";
    line.color = leads ? PlotColor::blue : PlotColor::grey;
    figure.plot.layers.emplace_back(std::move(line));
  }
  add_axes(figure.plot, space, values);
  return figure;
}

}  // namespace nomu
