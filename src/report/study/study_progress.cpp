#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nomu/eval/statistics.hpp"
#include "report/page/view.hpp"
#include "report/study/study_figures.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_points = 2000;

/// Best value, or regret, after each result, in the order of the trials.
struct BestSoFar {
  std::vector<double> trial;
  std::vector<double> value;
  std::vector<double> best;
};

BestSoFar best_so_far(const std::vector<Trial>& trials, Direction direction, const std::optional<double>& optimum) {
  BestSoFar history;
  std::optional<double> leader;
  for (const Trial& trial : trials) {
    if (!trial.value) continue;
    const bool better = leader && (direction == Direction::minimize ? *trial.value < *leader : *trial.value > *leader);
    if (!leader || better) leader = trial.value;
    history.trial.push_back(static_cast<double>(trial.id));
    history.value.push_back(*trial.value);
    history.best.push_back(optimum ? std::max(std::abs(*leader - *optimum), 1e-12) : *leader);
  }
  return history;
}

/// Mean over the studies with its 95 % interval, up to the shortest study's last result.
void add_mean(Plot& plot, const std::vector<BestSoFar>& histories) {
  std::size_t length = histories.front().best.size();
  for (const BestSoFar& history : histories) length = std::min(length, history.best.size());
  PlotBand band{.name = "95 % interval", .color = PlotColor::orange};
  PlotLine line{.name = fmt::format("mean of {} studies", histories.size()), .color = PlotColor::orange};
  for (std::size_t k = 0; k < length; ++k) {
    std::vector<double> values;
    values.reserve(histories.size());
    for (const BestSoFar& history : histories) values.push_back(history.best[k]);
    const double middle = mean(values);
    Interval interval = normal_interval(values);
    // An interval that reaches zero has no lower end on a logarithmic axis.
    if (plot.y.scale == AxisScale::log10) interval.lower = std::max(interval.lower, 0.05 * middle);
    for (std::vector<double>* x : {&band.x, &line.x}) x->push_back(static_cast<double>(k + 1));
    line.y.push_back(middle);
    band.lower.push_back(interval.lower);
    band.upper.push_back(interval.upper);
  }
  plot.layers.emplace_back(std::move(band));
  plot.layers.emplace_back(std::move(line));
}

/// Failed trials have no value: crosses at the worst one there is.
void add_failures(NamedPlot& figure, const std::vector<Trial>& trials, Direction direction) {
  PlotPoints failed{.name = "failed", .color = PlotColor::red, .marker = PlotMarker::cross};
  std::optional<double> worst;
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::failed) failed.x.push_back(static_cast<double>(trial.id));
    if (!trial.value) continue;
    const bool worse = worst && (direction == Direction::minimize ? *trial.value > *worst : *trial.value < *worst);
    if (!worst || worse) worst = trial.value;
  }
  if (failed.x.empty() || !worst) return;
  failed.x = select_rows(failed.x, thinned_rows(failed.x.size(), most_points));
  failed.y.assign(failed.x.size(), *worst);
  figure.plot.layers.emplace_back(std::move(failed));
  figure.caption += " Crosses: trials that failed, level with the worst result.";
}

}  // namespace

NamedPlot progress_figure(const std::vector<Trial>& trials, const std::vector<std::vector<Trial>>& others,
                          Direction direction, const std::optional<double>& optimum) {
  std::vector<BestSoFar> histories{best_so_far(trials, direction, optimum)};
  for (const std::vector<Trial>& other : others) histories.push_back(best_so_far(other, direction, optimum));
  const BestSoFar& own = histories.front();
  NamedPlot figure{
      .name = "progress",
      .plot = {},
      .caption = optimum ? "Distance of the best value so far to the optimum." : "Every result, and the best so far."};
  figure.plot.x.label = others.empty() ? "trial" : "result";
  figure.plot.y.label = optimum ? "regret" : "value";
  if (optimum) figure.plot.y.scale = AxisScale::log10;
  const std::vector<std::size_t> kept = thinned_rows(own.trial.size(), most_points);
  if (!optimum && others.empty()) {
    figure.plot.layers.emplace_back(PlotPoints{.name = "trials",
                                               .x = select_rows(own.trial, kept),
                                               .y = select_rows(own.value, kept),
                                               .color = PlotColor::grey});
    add_failures(figure, trials, direction);
  }
  if (!others.empty()) {
    add_mean(figure.plot, histories);
    figure.caption = fmt::format("{} after each result: this study, and {} over it and {} others.",
                                 optimum ? "Distance of the best value to the optimum" : "The best value", "the mean",
                                 others.size());
  }
  PlotSteps best{.name = !others.empty() ? "this study" : optimum ? "regret" : "best so far", .color = PlotColor::blue};
  for (std::size_t k = 0; k < own.best.size(); ++k) {
    const bool flat = k > 0 && k + 1 < own.best.size() && own.best[k] == own.best[k - 1];
    if (flat) continue;  // the previous step continues
    best.x.push_back(others.empty() ? own.trial[k] : static_cast<double>(k + 1));
    best.y.push_back(own.best[k]);
  }
  figure.plot.layers.emplace_back(std::move(best));
  return figure;
}

}  // namespace nomu
