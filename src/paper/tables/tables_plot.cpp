#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "nomu/report/plot.hpp"
#include "paper/tables/tables.hpp"

namespace nomu {
namespace {

template <class Member>
std::vector<std::string> distinct(std::span<const ReportCell> cells, Member member) {
  std::vector<std::string> all;
  for (const ReportCell& cell : cells) {
    if (std::ranges::find(all, cell.*member) == all.end()) all.push_back(cell.*member);
  }
  return all;
}

/// Our results for the metrics that the paper reports, or for all metrics if it reports none.
std::vector<ReportCell> cells_to_draw(const ExperimentReport& report) {
  std::vector<ReportCell> compared;
  std::ranges::copy_if(report.cells, std::back_inserter(compared),
                       [](const ReportCell& c) { return c.paper.has_value(); });
  const std::vector<std::string> metrics = distinct(compared, &ReportCell::metric);
  std::vector<ReportCell> cells;
  for (const ReportCell& cell : report.cells) {
    if (!cell.ours) continue;
    if (metrics.empty() || std::ranges::find(metrics, cell.metric) != metrics.end()) cells.push_back(cell);
  }
  return cells;
}

void add_point(PlotPoints& points, double x, double value, const Interval& interval) {
  points.x.push_back(x);
  points.y.push_back(value);
  points.lower.push_back(std::min(interval.lower, value));
  points.upper.push_back(std::max(interval.upper, value));
}

/// Our values and the paper's with their intervals, side by side over the problems.
Plot plot_of(std::span<const ReportCell> cells, const std::string& metric, const std::string& method,
             const std::vector<std::string>& problems) {
  constexpr double apart = 0.12;
  PlotPoints ours{.name = "ours", .color = PlotColor::blue};
  PlotPoints paper{.name = "paper", .color = PlotColor::orange, .marker = PlotMarker::square};
  for (const ReportCell& cell : cells) {
    if (cell.metric != metric || cell.method != method) continue;
    const auto place = static_cast<double>(std::ranges::find(problems, cell.problem) - problems.begin());
    add_point(ours, place - apart, cell.ours->value, cell.ours->interval);
    if (cell.paper) {
      const double value = cell.paper->value;
      add_point(paper, place + apart, value, cell.paper->interval.value_or(Interval{value, value}));
    }
  }
  Plot plot;
  plot.title = method;
  plot.x.names = problems;
  plot.y.label = metric;
  plot.layers.emplace_back(std::move(ours));
  plot.layers.emplace_back(std::move(paper));
  return plot;
}

/// An interval that reaches zero has no lower end on a logarithmic axis, so it is drawn down to a twentieth of its
/// mean.
void add_curve(Plot& plot, const ReportCurve& curve, PlotColor color) {
  PlotBand band{.name = {}, .color = color, .opacity = 0.15};
  PlotLine line{.name = curve.method, .color = color};
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!(curve.mean[i] > 0.0)) continue;
    for (std::vector<double>* x : {&band.x, &line.x}) x->push_back(curve.x[i]);
    line.y.push_back(curve.mean[i]);
    band.lower.push_back(std::max(curve.lower[i], 0.05 * curve.mean[i]));
    band.upper.push_back(std::max(curve.upper[i], curve.mean[i]));
  }
  plot.layers.emplace_back(std::move(band));
  plot.layers.emplace_back(std::move(line));
}

}  // namespace

std::string curves_svg(const ExperimentReport& report) {
  constexpr std::array colors = {PlotColor::blue, PlotColor::orange, PlotColor::green, PlotColor::purple,
                                 PlotColor::red,  PlotColor::sky,    PlotColor::grey,  PlotColor::ink};
  std::vector<std::string> methods;
  std::vector<Plot> plots;
  for (const ReportCurve& curve : report.curves) {
    if (plots.empty() || plots.back().title != curve.problem) {
      Plot plot{.title = curve.problem};
      plot.x.label = "evaluations";
      plot.y = {.label = report.curve_title, .scale = AxisScale::log10};
      plots.push_back(std::move(plot));
    }
    const auto place = std::ranges::find(methods, curve.method);
    const auto index = static_cast<std::size_t>(place - methods.begin());
    if (place == methods.end()) methods.push_back(curve.method);
    add_curve(plots.back(), curve, colors.at(index % colors.size()));
  }
  if (plots.empty()) return {};
  return render_svg_grid(plots, {.title = report.title + ": means and their 95 % intervals",
                                 .columns = std::min<std::size_t>(2, plots.size()),
                                 .cell = {.width = 560, .height = 360}});
}

std::string report_svg(const ExperimentReport& report) {
  const std::vector<ReportCell> cells = cells_to_draw(report);
  const std::vector<std::string> problems = distinct(cells, &ReportCell::problem);
  std::vector<Plot> plots;
  for (const std::string& method : distinct(cells, &ReportCell::method)) {
    for (const std::string& metric : distinct(cells, &ReportCell::metric)) {
      plots.push_back(plot_of(cells, metric, method, problems));
    }
  }
  if (plots.empty()) plots.emplace_back();
  const int width = std::max(320, 60 * static_cast<int>(problems.size()) + 80);
  return render_svg_grid(plots, {.title = report.title,
                                 .columns = std::min<std::size_t>(problems.size() > 5 ? 2 : 4, plots.size()),
                                 .cell = {.width = width, .height = 260}});
}

}  // namespace nomu
