#include "bo/surrogate/seek.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bo/surrogate/box_search.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t around_stream = 0x73656B31;

bool is_real(const Variable& v) { return v.kind == Variable::Kind::real; }

/// First column of every variable among the inputs.
std::vector<std::size_t> columns_of(const Space& space) {
  std::vector<std::size_t> columns;
  std::size_t at = 0;
  for (const Variable& v : space.variables()) {
    columns.push_back(at);
    at += v.kind == Variable::Kind::categorical ? v.choices.size() : 1;
  }
  return columns;
}

/// Changes some of the coordinates: by a little, or by much; categories to any other.
Point changed(const Space& space, const Point& from, const Region& region, Random& random) {
  std::vector<double> unit = space.to_unit(from);
  const double scale = 0.3 * std::pow(10.0, -2.5 * random.uniform());
  const double share = std::max(0.3, std::min(1.0, 4.0 / static_cast<double>(unit.size())));
  const std::size_t always = random.below(unit.size());
  const std::vector<bool> active = space.active(from);
  for (std::size_t j = 0; j < unit.size(); ++j) {
    if (!active[j]) {
      unit[j] = random.uniform();  // for when another variable makes it active
      continue;
    }
    if (j != always && random.uniform() > share) continue;
    if (space.variables()[j].kind == Variable::Kind::categorical) {
      if (j == always || random.uniform() < 0.3) unit[j] = random.uniform();
      continue;
    }
    unit[j] = std::clamp(unit[j] + scale * random.normal(), region.low[j], region.high[j]);
  }
  return space.from_unit(unit);
}

/// Refines one start.
class Climb {
 public:
  Climb(const Promise& promise, const Space& space, const Region& region, const Allowed& allowed, const SeekSpec& spec)
      : promise_(promise), space_(space), region_(region), allowed_(allowed), spec_(spec), columns_(columns_of(space)) {
    for (std::size_t v = 0; v < space.size(); ++v) (is_real(space.variables()[v]) ? reals_ : others_).push_back(v);
  }

  [[nodiscard]] Sought from(Sought at) const {
    for (int round = 0; round < 3; ++round) {
      const double before = at.promise;
      if (!reals_.empty()) slide(at);
      if (others_.empty() || !hop(at) || !(at.promise > before + 1e-6)) break;
    }
    return at;
  }

 private:
  [[nodiscard]] double value_of(const Point& point) const {
    if (!space_.feasible(point)) return -infinity;
    const std::vector<double> inputs = space_.to_inputs(point);
    return allowed_(point, inputs) ? promise_.at(inputs) : -infinity;
  }

  /// Along the slopes of the real variables.
  void slide(Sought& at) const {
    const std::vector<double> unit = space_.to_unit(at.point);
    const std::vector<double> fixed = space_.to_inputs(at.point);
    std::vector<std::size_t> active;
    std::vector<double> x;
    const std::vector<bool> counts = space_.active(at.point);
    for (const std::size_t v : reals_) {
      if (!counts[v]) continue;
      active.push_back(v);
      x.push_back(unit[v]);
    }
    if (active.empty()) return;
    const auto moved = [&](std::span<const double> reals) {
      std::vector<double> all = unit;
      for (std::size_t k = 0; k < active.size(); ++k) all[active[k]] = reals[k];
      return space_.from_unit(all);
    };
    std::vector<double> inputs = fixed;
    std::vector<double> all_slopes(inputs.size());
    const SlopedFunction f = [&](std::span<const double> reals, std::span<double> slopes) {
      for (std::size_t k = 0; k < active.size(); ++k) inputs[columns_[active[k]]] = 2.0 * reals[k] - 1.0;
      if (!space_.constraints().empty() && !space_.feasible(moved(reals))) {
        std::ranges::fill(slopes, 0.0);
        return -infinity;
      }
      if (slopes.empty()) return promise_.at(inputs);
      const double value = promise_.at(inputs, all_slopes);
      for (std::size_t k = 0; k < active.size(); ++k) slopes[k] = 2.0 * all_slopes[columns_[active[k]]];
      return value;
    };
    BoxSearch search{.low = {}, .high = {}, .evaluations = static_cast<std::int64_t>(spec_.steps), .tolerance = 1e-5};
    for (const std::size_t v : active) {
      search.low.push_back(region_.low[v]);
      search.high.push_back(region_.high[v]);
    }
    ascend(f, search, x);
    Point point = moved(x);
    const double value = value_of(point);
    if (value > at.promise) at = {std::move(point), value};
  }

  /// To the best neighbour along every other variable in turn; false if none was better.
  [[nodiscard]] bool hop(Sought& at) const {
    bool better = false;
    for (const std::size_t v : others_) {
      const Variable& variable = space_.variables()[v];
      const double here = at.point[v];
      if (!space_.active(v, at.point)) continue;
      for (const double to : neighbours(variable, here)) {
        Point point = at.point;
        point[v] = to;
        point = space_.settled(std::move(point));
        const double value = value_of(point);
        if (!(value > at.promise)) continue;
        at = {std::move(point), value};
        better = true;
      }
    }
    return better;
  }

  [[nodiscard]] static std::vector<double> neighbours(const Variable& variable, double here) {
    std::vector<double> result;
    if (variable.kind == Variable::Kind::categorical) {
      for (std::size_t k = 0; k < variable.choices.size(); ++k) result.push_back(static_cast<double>(k));
      return result;
    }
    for (double step = 1.0; step <= 0.5 * (variable.high - variable.low) + 1.0; step *= 2.0) {
      if (here - step >= variable.low) result.push_back(here - step);
      if (here + step <= variable.high) result.push_back(here + step);
    }
    return result;
  }

  const Promise& promise_;
  const Space& space_;
  const Region& region_;
  const Allowed& allowed_;
  const SeekSpec& spec_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> reals_;
  std::vector<std::size_t> others_;
};

RowMatrix inputs_of(const Space& space, const std::vector<Point>& points) {
  RowMatrix inputs(static_cast<Eigen::Index>(points.size()), static_cast<Eigen::Index>(space.inputs()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<double> row = space.to_inputs(points[i]);
    std::copy(row.begin(), row.end(), inputs.row(static_cast<Eigen::Index>(i)).data());
  }
  return inputs;
}

/// Indices from the most promising to the least.
std::vector<std::size_t> order_of(const std::vector<double>& promises) {
  std::vector<std::size_t> order(promises.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return promises[a] > promises[b]; });
  return order;
}

bool apart(const Space& space, const Point& a, const Point& b) {
  constexpr double least = 0.05;
  const std::vector<double> u = space.to_unit(a);
  const std::vector<double> v = space.to_unit(b);
  for (std::size_t j = 0; j < u.size(); ++j) {
    if (std::abs(u[j] - v[j]) > least) return true;
  }
  return false;
}

}  // namespace

Region Region::all(std::size_t variables) {
  return {.low = std::vector<double>(variables, 0.0), .high = std::vector<double>(variables, 1.0)};
}

Region Region::around(const std::vector<double>& centre, double side) {
  Region region;
  for (const double c : centre) {
    region.low.push_back(std::max(0.0, c - 0.5 * side));
    region.high.push_back(std::min(1.0, c + 0.5 * side));
  }
  return region;
}

std::vector<Point> candidates(const Space& space, const std::vector<Point>& near, const Region& region,
                              std::uint64_t seed, const SeekSpec& spec) {
  std::vector<Point> points;
  for (const Point& drawn : initial_design(space, DesignKind::sobol, spec.points_everywhere, seed)) {
    std::vector<double> unit = space.to_unit(drawn);
    for (std::size_t j = 0; j < unit.size(); ++j) {
      if (space.variables()[j].kind != Variable::Kind::categorical)
        unit[j] = region.low[j] + unit[j] * (region.high[j] - region.low[j]);
    }
    Point point = space.from_unit(unit);
    if (space.feasible(point)) points.push_back(std::move(point));
  }
  for (std::size_t k = 0; k < near.size(); ++k) {
    Random random(derived_seed(seed, k), around_stream);
    for (std::size_t i = 0; i < spec.around; ++i) {
      Point point = changed(space, near[k], region, random);
      if (space.feasible(point)) points.push_back(std::move(point));
    }
  }
  return points;
}

std::optional<Sought> seek(const Promise& promise, const Space& space, const std::vector<Point>& near,
                           const Region& region, const Allowed& allowed, std::uint64_t seed, const SeekSpec& spec) {
  const std::optional<std::uint64_t> count = space.count();
  const bool all = count && *count <= spec.enumerate;
  std::vector<Point> points;
  if (all) {
    for (std::uint64_t k = 0; k < *count; ++k) points.push_back(space.at(k));
  } else {
    points = candidates(space, near, region, seed, spec);
  }
  const std::vector<double> promises = promise.at_all(inputs_of(space, points));
  std::vector<Sought> starts;
  for (const std::size_t k : order_of(promises)) {
    if (starts.size() == (all ? 1 : spec.starts)) break;
    const auto close = [&](const Sought& s) { return !apart(space, s.point, points[k]); };
    if (!std::isfinite(promises[k]) || !space.feasible(points[k]) || std::any_of(starts.begin(), starts.end(), close))
      continue;
    if (allowed(points[k], space.to_inputs(points[k]))) starts.push_back({points[k], promises[k]});
  }
  if (starts.empty()) return {};
  const Climb climb(promise, space, region, allowed, spec);
  Sought best = starts.front();
  for (const Sought& start : starts) {
    if (all) break;
    if (Sought found = climb.from(start); found.promise > best.promise) best = std::move(found);
  }
  return best;
}

}  // namespace nomu
