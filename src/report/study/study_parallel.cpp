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

/// An axis with its name above it and its ends below, where they are; axes lie one below the other, so that the whole
/// width is there for a name, also on a phone.
void add_axis(Plot& plot, std::size_t place, std::string name, std::string low, std::string high) {
  const double at = -static_cast<double>(place);
  plot.layers.emplace_back(PlotRule{.at = at, .stroke = PlotStroke::solid});
  plot.layers.emplace_back(PlotNote{.text = std::move(name), .x = 0.0, .y = at + 0.12});
  plot.layers.emplace_back(PlotNote{.text = std::move(low), .x = 0.0, .y = at - 0.36});
  if (!high.empty()) plot.layers.emplace_back(PlotNote{.text = std::move(high), .x = 1.0, .y = at - 0.36});
}

void add_axes(Plot& plot, const Space& space, const PlotRange& values) {
  for (std::size_t j = 0; j < space.size(); ++j) {
    const Variable& v = space.variables()[j];
    if (v.kind == Variable::Kind::categorical) {
      add_axis(plot, j, v.name, fmt::format("{}", fmt::join(v.choices, ", ")), "");
    } else {
      add_axis(plot, j, label_of(v) + (v.log ? ", log" : ""), number_text(v.low), number_text(v.high));
    }
  }
  add_axis(plot, space.size(), "value", number_text(values.low), number_text(values.high));
}

/// High enough for the text of one axis to stay clear of the next axis.
int height_of(const Space& space) {
  return std::max(310, 120 + 50 * static_cast<int>(std::min<std::size_t>(space.size(), 200)));
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
          "the left to the upper end, choices in their order; the best tenth in blue.",
      .height = height_of(space)};
  // The axes have their own names and numbers, so the plot has none.
  figure.plot.x = {.range = PlotRange{-0.02, 1.02}, .names = {" "}};
  figure.plot.y = {.range = PlotRange{-static_cast<double>(space.size()) - 0.5, 0.7}, .names = {" "}};
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
