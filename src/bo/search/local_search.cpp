#include "bo/search/local_search.hpp"

#include <algorithm>
#include <cmath>

namespace nomu {
namespace {

/// The current points of all searches, one search after the other.
struct Climb {
  std::vector<std::size_t> counts;  // [S]
  std::vector<double> units;        // [q][d]
  std::vector<double> values;       // [q]
  std::vector<double> lengths;      // [q], lengths of the next steps in the unit cube
};

Climb start(const TopPoints& top) {
  Climb climb;
  for (std::size_t m = 0; m < top.searches(); ++m) {
    climb.counts.push_back(top.of(m).size());
    for (const TopPoints::Entry& entry : top.of(m)) {
      climb.units.insert(climb.units.end(), entry.unit.begin(), entry.unit.end());
      climb.values.push_back(entry.value);
    }
  }
  climb.lengths.assign(climb.values.size(), 0.02);
  return climb;
}

/// Slopes by central differences, for methods without slopes of their own: two points per coordinate of every point.
std::vector<double> differences(const Landscape& landscape, const Climb& climb, std::span<const SearchTask> tasks) {
  constexpr double step = 1e-3;
  const std::size_t d = landscape.space().size();
  std::vector<double> units;
  std::vector<std::size_t> counts;
  std::size_t i = 0;
  for (const std::size_t count : climb.counts) {
    counts.push_back(count * 2 * d);
    for (std::size_t k = 0; k < count * 2 * d; ++k) {
      const std::size_t row = i + k / (2 * d);
      const std::size_t j = k / 2 % d;
      const auto begin = climb.units.begin() + static_cast<std::ptrdiff_t>(row * d);
      units.insert(units.end(), begin, begin + static_cast<std::ptrdiff_t>(d));
      double& moved = units[units.size() - d + j];
      moved = std::clamp(moved + (k % 2 == 0 ? step : -step), 0.0, 1.0);
    }
    i += count;
  }
  const std::vector<double> values = landscape.values(units, counts, tasks);
  std::vector<double> slopes(climb.units.size(), 0.0);
  for (std::size_t e = 0; e < slopes.size(); ++e) {
    const double slope = (values[2 * e] - values[2 * e + 1]) / (2.0 * step);
    if (std::isfinite(slope)) slopes[e] = slope;
  }
  return slopes;
}

/// Moves every point along its slope, scaled so that its largest component is one step length, but not out of the cube.
std::vector<double> moved(const Climb& climb, std::span<const double> slopes, std::size_t d) {
  std::vector<double> units = climb.units;
  for (std::size_t i = 0; i < climb.values.size(); ++i) {
    double largest = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      const double at = units[i * d + j];
      const double slope = slopes[i * d + j];
      if ((slope > 0.0 && at < 1.0) || (slope < 0.0 && at > 0.0)) largest = std::max(largest, std::abs(slope));
    }
    if (!(largest > 0.0)) continue;
    for (std::size_t j = 0; j < d; ++j) {
      double& at = units[i * d + j];
      at = std::clamp(at + climb.lengths[i] * slopes[i * d + j] / largest, 0.0, 1.0);
    }
  }
  return units;
}

}  // namespace

void TopPoints::add(std::span<const double> units, std::span<const std::size_t> counts,
                    std::span<const double> values) {
  if (keep_ == 0) return;
  std::size_t i = 0;
  for (std::size_t m = 0; m < counts.size(); ++m) {
    std::vector<Entry>& best = best_[m];
    for (std::size_t k = 0; k < counts[m]; ++k, ++i) {
      if (!std::isfinite(values[i]) || (best.size() == keep_ && values[i] <= best.back().value)) continue;
      const std::span<const double> unit = units.subspan(i * dimension_, dimension_);
      const auto place = std::find_if(best.begin(), best.end(), [&](const Entry& e) { return e.value < values[i]; });
      best.insert(place, {values[i], {unit.begin(), unit.end()}});
      if (best.size() > keep_) best.pop_back();
    }
  }
}

void refine(const Landscape& landscape, const TopPoints& top, std::int64_t steps, std::span<const SearchTask> tasks,
            std::vector<Proposal>& best) {
  const std::size_t d = landscape.space().size();
  Climb climb = start(top);
  if (climb.values.empty()) return;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<double> slopes = landscape.slopes(climb.units, climb.counts, tasks);
    if (slopes.empty()) slopes = differences(landscape, climb, tasks);
    const std::vector<double> units = moved(climb, slopes, d);
    const std::vector<double> values = landscape.values(units, climb.counts, tasks);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool better = values[i] > climb.values[i];
      climb.lengths[i] *= better ? 1.5 : 0.4;
      if (!better) continue;
      climb.values[i] = values[i];
      std::copy_n(units.begin() + static_cast<std::ptrdiff_t>(i * d), d,
                  climb.units.begin() + static_cast<std::ptrdiff_t>(i * d));
    }
  }
  std::size_t i = 0;
  for (std::size_t m = 0; m < climb.counts.size(); ++m) {
    for (std::size_t k = 0; k < climb.counts[m]; ++k, ++i) {
      if (!(climb.values[i] > best[m].value)) continue;
      best[m].value = climb.values[i];
      best[m].c = tasks[m].c;
      best[m].point = landscape.space().from_unit(std::span<const double>(climb.units).subspan(i * d, d));
    }
  }
}

}  // namespace nomu
