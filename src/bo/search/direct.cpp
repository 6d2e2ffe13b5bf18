#include "nomu/bo/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double equal_costs = 1e-13;  // costs that differ by less count as equal
constexpr std::size_t most_cuts = 30;  // per side: 3^-30 is below the spacing of doubles around 1/2

double third(std::size_t cuts) { return std::pow(3.0, -static_cast<double>(cuts)); }

}  // namespace

Fields fields_of(DirectSpec& spec) {
  Fields fields("bo/direct");
  fields.add("epsilon", spec.epsilon, Range::at_least(0.0), "smallest relative improvement a rectangle must promise");
  fields.add("evaluations", spec.evaluations, Range::between(1.0, 1e7),
             "no iteration starts after this many evaluations");
  fields.add("iterations", spec.iterations, Range::at_least(0.0), "largest number of iterations; 0: no limit");
  return fields;
}

Direct::Direct(std::size_t dimension, const DirectSpec& spec)
    : dimension_(dimension), spec_(spec), least_(infinity), largest_(-infinity) {
  if (dimension == 0) throw ConfigError("bo/direct", "a search needs at least one dimension");
  if (spec.evaluations < 1 || spec.iterations < 0 || !(spec.epsilon >= 0.0)) {
    throw ConfigError("bo/direct", fmt::format("evaluations must be positive, iterations and epsilon not negative, got "
                                               "{}, {} and {}",
                                               spec.evaluations, spec.iterations, spec.epsilon));
  }
  cells_.push_back({.cuts = std::vector<std::uint8_t>(dimension, 0)});
  centres_.assign(dimension, 0.5);
  asked_ = centres_;
}

/// Half the diagonal of a cell: with k = level / d, every side has been cut k or k + 1 times.
double Direct::size_of(std::size_t level) const {
  const auto shorter = static_cast<double>(level % dimension_);
  const double sides = static_cast<double>(dimension_) - shorter + shorter / 9.0;
  return 0.5 * std::sqrt(sides) * third(level / dimension_);
}

/// Infeasible cells count as the worst feasible one, so that their neighbourhood is searched late, but is searched.
double Direct::effective(double cost) const {
  if (std::isfinite(cost)) return cost;
  return std::isfinite(largest_) ? largest_ : 0.0;
}

void Direct::record(std::size_t cell, double cost) {
  cells_[cell].cost = std::isfinite(cost) ? cost : infinity;
  ++evaluations_;
  if (!std::isfinite(cost)) return;
  largest_ = std::max(largest_, cost);
  if (cost >= least_) return;
  least_ = cost;
  best_.assign(centres_.begin() + static_cast<std::ptrdiff_t>(cell * dimension_),
               centres_.begin() + static_cast<std::ptrdiff_t>((cell + 1) * dimension_));
}

void Direct::tell(std::span<const double> values) {
  if (values.size() * dimension_ != asked_.size()) {
    throw DataError("bo/direct", fmt::format("{} points were asked for, but {} values were given",
                                             asked_.size() / dimension_, values.size()));
  }
  if (finished()) return;
  const std::size_t known = cells_.size() - (evaluations_ == 0 ? 1 : values.size());
  for (std::size_t i = 0; i < values.size(); ++i) record(known + i, -values[i]);
  ++iterations_;
  if (divisions_.empty()) insert(0);
  for (const Division& division : divisions_) divide(division);
  asked_.clear();
  divisions_.clear();
  // The centre and its neighbours are one iteration, as Jones counts them.
  if (evaluations_ == 1) iterations_ = 0;
  const bool out_of_evaluations = evaluations_ > 1 && evaluations_ > spec_.evaluations;
  if (out_of_evaluations || (spec_.iterations > 0 && iterations_ >= spec_.iterations)) return;
  plan_iteration();
}

/// The lower right part of the convex hull of (size, cost), from the largest size to the smallest.
std::vector<std::size_t> Direct::chosen_levels() const {
  struct Corner {
    std::size_t level;
    double size;
    double cost;
  };
  std::vector<Corner> corners;
  for (const auto& [level, cells] : levels_) {
    corners.push_back({level, size_of(level), effective(cells.begin()->first)});
  }
  const double goal = std::isfinite(least_) ? least_ - spec_.epsilon * std::abs(least_) : infinity;
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < corners.size(); ++j) {
    double to_larger = infinity;
    double to_smaller = 0.0;
    for (std::size_t i = 0; i < j; ++i) {
      to_larger = std::min(to_larger, (corners[i].cost - corners[j].cost) / (corners[i].size - corners[j].size));
    }
    for (std::size_t i = j + 1; i < corners.size(); ++i) {
      to_smaller = std::max(to_smaller, (corners[i].cost - corners[j].cost) / (corners[i].size - corners[j].size));
    }
    if (to_larger <= 0.0 || to_smaller > to_larger) continue;
    if (std::isfinite(to_larger) && corners[j].cost - to_larger * corners[j].size > goal) continue;
    chosen.push_back(corners[j].level);
  }
  return chosen;
}

/// The best cell of every chosen level, followed by the cells that are equally good, level by level.
std::vector<std::size_t> Direct::chosen_cells() const {
  std::vector<std::size_t> cells;
  std::vector<std::size_t> equals;
  for (const std::size_t index : chosen_levels()) {
    const Level& level = levels_.at(index);
    const double cost = level.begin()->first;
    cells.push_back(level.begin()->second);
    // Once a feasible point is known, only one infeasible cell of each size is divided at a time.
    if (!std::isfinite(cost) && std::isfinite(least_)) continue;
    for (auto next = std::next(level.begin()); next != level.end(); ++next) {
      if (next->first != cost && !(next->first - cost <= equal_costs)) break;
      equals.push_back(next->second);
    }
  }
  cells.insert(cells.end(), equals.begin(), equals.end());
  return cells;
}

void Direct::plan_division(std::size_t cell) {
  Division division{.cell = cell, .first = cells_.size(), .sides = {}};
  const std::vector<std::uint8_t>& cuts = cells_[cell].cuts;
  const std::uint8_t fewest = *std::min_element(cuts.begin(), cuts.end());
  if (fewest >= most_cuts) return;
  const double step = third(fewest + 1U);
  for (std::size_t side = 0; side < dimension_; ++side) {
    if (cells_[cell].cuts[side] != fewest) continue;
    division.sides.push_back(side);
    for (const double sign : {1.0, -1.0}) {
      cells_.push_back(cells_[cell]);
      const auto centre = static_cast<std::ptrdiff_t>(cell * dimension_);
      const std::vector<double> copy(centres_.begin() + centre,
                                     centres_.begin() + centre + static_cast<std::ptrdiff_t>(dimension_));
      centres_.insert(centres_.end(), copy.begin(), copy.end());
      centres_[(cells_.size() - 1) * dimension_ + side] += sign * step;
    }
  }
  divisions_.push_back(std::move(division));
}

void Direct::plan_iteration() {
  const std::size_t known = cells_.size();
  for (const std::size_t cell : chosen_cells()) plan_division(cell);
  asked_.assign(centres_.begin() + static_cast<std::ptrdiff_t>(known * dimension_), centres_.end());
}

/// The side with the best new point is cut first, so that the best points end up in the largest cells. The cell stays
/// in its level until it is divided, because cells that are inserted earlier are compared with it.
void Direct::divide(const Division& division) {
  remove(division.cell);
  std::vector<std::size_t> order(division.sides.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto cost = [&](std::size_t i) {
    return std::min(cells_[division.first + 2 * i].cost, cells_[division.first + 2 * i + 1].cost);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
  for (std::size_t done = 0; done < order.size(); ++done) {
    const std::size_t side = division.sides[order[done]];
    const auto cut = [&](std::size_t cell) {
      ++cells_[cell].cuts[side];
      ++cells_[cell].level;
    };
    cut(division.cell);
    for (std::size_t later = done; later < order.size(); ++later) {
      cut(division.first + 2 * order[later]);
      cut(division.first + 2 * order[later] + 1);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) insert_pair(division.first + 2 * i);
  insert(division.cell);
}

void Direct::insert(std::size_t cell) { levels_[cells_[cell].level].emplace(cells_[cell].cost, cell); }

void Direct::remove(std::size_t cell) {
  const auto level = levels_.find(cells_[cell].level);
  auto place = level->second.lower_bound(cells_[cell].cost);
  while (place->second != cell) ++place;
  level->second.erase(place);
  if (level->second.empty()) levels_.erase(level);
}

/// Inserts both new cells of a side, the better one first. If the first cell becomes the best of its size, the second
/// one goes before the equals of the former best: a quirk of NLopt, kept so that the order of points is the same.
void Direct::insert_pair(std::size_t first) {
  Level& level = levels_[cells_[first].level];
  const bool swapped = cells_[first + 1].cost < cells_[first].cost;
  const std::size_t better = swapped ? first + 1 : first;
  const std::size_t worse = swapped ? first : first + 1;
  const double old = level.empty() ? -infinity : level.begin()->first;
  level.emplace(cells_[better].cost, better);
  const bool jumps = !swapped && cells_[better].cost < old && cells_[worse].cost == old;
  if (jumps) {
    level.emplace_hint(level.lower_bound(cells_[worse].cost), cells_[worse].cost, worse);
  } else {
    level.emplace(cells_[worse].cost, worse);
  }
}

void run_together(std::span<Direct> searches, const std::function<std::vector<double>(const DirectBatch&)>& evaluate,
                  const ForEach& each) {
  std::vector<double> points;
  std::vector<std::size_t> counts(searches.size());
  std::vector<std::size_t> first(searches.size());
  while (true) {
    points.clear();
    for (std::size_t m = 0; m < searches.size(); ++m) {
      const std::span<const double> asked = searches[m].ask();
      first[m] = points.size() / searches[m].dimension();
      counts[m] = asked.size() / searches[m].dimension();
      points.insert(points.end(), asked.begin(), asked.end());
    }
    if (points.empty()) return;
    const std::vector<double> values = evaluate({.points = points, .counts = counts});
    const auto tell = [&](std::size_t m) {
      if (counts[m] > 0) searches[m].tell(std::span<const double>(values).subspan(first[m], counts[m]));
    };
    if (each) {
      each(searches.size(), tell);
    } else {
      for (std::size_t m = 0; m < searches.size(); ++m) tell(m);
    }
  }
}

}  // namespace nomu
