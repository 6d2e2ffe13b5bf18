#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

/// A line across the variables to the result, if there is one.
PlotLine line_of(const Space& space, const Trial& trial, const PlotRange& values) {
  PlotLine line;
  line.y = space.to_unit(trial.point);
  if (trial.value) {
    const double range = values.high - values.low;
    line.y.push_back(range > 0.0 ? (*trial.value - values.low) / range : 0.5);
  }
  for (std::size_t j = 0; j < line.y.size(); ++j) line.x.push_back(static_cast<double>(j));
  return line;
}

/// An axis of its own for each variable: a rule with the ends of its range.
void add_axis(Plot& plot, std::size_t place, const std::string& low, const std::string& high) {
  const auto at = static_cast<double>(place);
  plot.layers.emplace_back(PlotRule{.direction = PlotDirection::vertical, .at = at, .stroke = PlotStroke::solid});
  plot.layers.emplace_back(PlotNote{.text = high, .x = at, .y = 1.08});
  plot.layers.emplace_back(PlotNote{.text = low, .x = at, .y = -0.05});
}

void add_axes(Plot& plot, const Space& space, const PlotRange& values) {
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  for (std::size_t j = 0; j < space.size(); ++j) {
    const Variable& v = space.variables()[j];
    const bool names = v.kind == Variable::Kind::categorical;
    plot.x.names.push_back(short_name(v.name, 12.0) + (v.log ? ", log" : ""));
    add_axis(plot, j, names ? short_name(v.choices.front(), 8.0) : number(v.low),
             names ? short_name(v.choices.back(), 8.0) : number(v.high));
  }
  plot.x.names.emplace_back("value");
  add_axis(plot, space.size(), number(values.low), number(values.high));
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
  NamedPlot figure{.name = "parallel",
                   .plot = {},
                   .caption =
                       "Every trial as a line across the variables and its result, each from the lower to the "
                       "upper end of its range; the best tenth in blue."};
  figure.plot.x.range = PlotRange{-0.2, static_cast<double>(space.size()) + 0.6};
  figure.plot.y = {.range = PlotRange{-0.12, 1.15}, .names = {"low", "high"}};
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
