#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/page/view.hpp"
#include "report/plot/text.hpp"
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

/// Pixels of a picture 360 wide: names and ranges in a column of their own, so that no line crosses them, then the
/// axes, then the place of variables that a trial does not have.
constexpr double label_font = 12.0;
constexpr std::size_t most_label_lines = 3;
constexpr double inner_width = 340.0;
constexpr double names_width = 124.0;
constexpr double unset_width = 46.0;
constexpr double label_edge = 6.0;

/// The columns, where an axis goes from 0 to 1.
struct Columns {
  double left = 0.0;
  double unset = 0.0;
  double right = 0.0;
  double pixel = 0.0;
};

Columns columns_of(const Space& space) {
  const double after = space.conditional() ? unset_width : label_edge;
  const double pixel = 1.0 / (inner_width - names_width - after);
  return {
      .left = -names_width * pixel, .unset = 1.0 + 0.5 * after * pixel, .right = 1.0 + after * pixel, .pixel = pixel};
}

/// A line down the variables to the result, if there is one.
PlotLine line_of(const Space& space, const Trial& trial, const PlotRange& values) {
  PlotLine line;
  line.x = space.to_unit(trial.point);
  const std::vector<bool> active = space.active(trial.point);
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (!active[j]) line.x[j] = columns_of(space).unset;
  }
  if (trial.value) {
    const double range = values.high - values.low;
    line.x.push_back(range > 0.0 ? (*trial.value - values.low) / range : 0.5);
  }
  for (std::size_t j = 0; j < line.x.size(); ++j) line.y.push_back(-static_cast<double>(j));
  return line;
}

/// An axis with its name and range to its left; axes lie one below the other.
void add_axis(Plot& plot, const Columns& columns, std::size_t place, std::string_view name, std::string_view range) {
  const double at = -static_cast<double>(place);
  constexpr double room = names_width - 2 * label_edge;
  plot.layers.emplace_back(PlotLine{.x = {0.0, 1.0}, .y = {at, at}, .color = PlotColor::ink});
  std::vector<std::string> lines = wrapped_text(name, room, label_font, 2);
  for (std::string& line : wrapped_text(range, room, label_font, most_label_lines - lines.size()))
    lines.push_back(std::move(line));
  plot.layers.emplace_back(
      PlotNote{.text = fmt::format("{}", fmt::join(lines, "\n")), .x = columns.left, .y = at - 0.1});
}

void add_axes(Plot& plot, const Space& space, const PlotRange& values) {
  const Columns columns = columns_of(space);
  for (std::size_t j = 0; j < space.size(); ++j) {
    const Variable& v = space.variables()[j];
    const std::string range =
        v.kind == Variable::Kind::categorical
            ? fmt::format("{}", fmt::join(v.choices, ", "))
            : fmt::format("{} to {}{}", number_text(v.low), number_text(v.high), v.log ? ", log" : "");
    add_axis(plot, columns, j, label_of(v), range);
    if (v.when.empty()) continue;
    const double at = -static_cast<double>(j);
    const double half = label_edge * columns.pixel;
    plot.layers.emplace_back(
        PlotLine{.x = {columns.unset - half, columns.unset + half}, .y = {at, at}, .color = PlotColor::ink});
  }
  add_axis(plot, columns, space.size(), "value",
           fmt::format("{} to {}", number_text(values.low), number_text(values.high)));
  if (space.conditional()) plot.layers.emplace_back(PlotNote{.text = "not set", .x = columns.right, .y = 0.5});
}

/// High enough for three lines of text to each axis, as far as a plot may be that high.
int height_of(const Space& space) {
  constexpr std::size_t highest = 10000;
  return static_cast<int>(std::clamp<std::size_t>(120 + 50 * space.size(), 310, highest));
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
  // The variables have axes of their own.
  const Columns columns = columns_of(space);
  figure.plot.x = {.range = PlotRange{columns.left, columns.right}, .hidden = true};
  figure.plot.y = {.range = PlotRange{-static_cast<double>(space.size()) - 0.5, 0.7}, .hidden = true};
  std::size_t failures = 0;
  for (const Trial& trial : trials) {
    if (trial.state != TrialState::failed || ++failures > most_failures) continue;
    PlotLine line = line_of(space, trial, values);
    line.name = "failed";
    line.color = PlotColor::red;
    line.stroke = PlotStroke::dashed;
    figure.plot.layers.emplace_back(std::move(line));
  }
  if (space.conditional())
    figure.caption += " Variables that a trial does not have are \"not set\", to the right of their axes.";
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
