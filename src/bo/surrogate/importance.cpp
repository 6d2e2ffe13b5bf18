#include "bo/surrogate/importance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nomu/bo/acquisition.hpp"

namespace nomu {

std::vector<std::size_t> spread_rows(const Space& space, const std::vector<Point>& points) {
  const std::size_t enough = std::min<std::size_t>(points.size(), std::max<std::size_t>(20, 4 * space.size()));
  std::vector<std::vector<double>> inputs;
  inputs.reserve(points.size());
  for (const Point& point : points) inputs.push_back(space.to_inputs(point));
  std::vector<std::size_t> kept;
  for (double apart = 0.2 * std::sqrt(static_cast<double>(space.inputs())); kept.size() < enough; apart *= 0.7) {
    kept.clear();
    std::vector<double> taken;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (apart > 1e-6 && nearest_distance(inputs[k], taken) < apart) continue;
      kept.push_back(k);
      taken.insert(taken.end(), inputs[k].begin(), inputs[k].end());
    }
  }
  return kept;
}

std::vector<double> total_effects(const Process& process, const TargetWarp& warp, const Space& space,
                                  std::uint64_t seed) {
  const std::size_t d = space.size();
  const std::size_t draws = std::clamp<std::size_t>(8192 / d, 256, 2048);  // each takes a point per variable
  const std::vector<double> units = sobol_points(2 * d, draws, seed);
  const double worst = process.rows().y.minCoeff();
  const auto mean_at = [&](const std::vector<double>& unit) {
    // Below the worst result, a compressed scale would be extrapolated exponentially.
    const double value = warp.invert(std::max(worst, process.mean_at(space.to_inputs(space.from_unit(unit)))));
    return std::ldexp(value, -warp.exponent());
  };
  std::vector<double> effects(d, 0.0);
  for (std::size_t i = 0; i < draws; ++i) {
    const auto row = units.begin() + static_cast<std::ptrdiff_t>(2 * d * i);
    std::vector<double> unit(row, row + static_cast<std::ptrdiff_t>(d));
    const double here = mean_at(unit);
    for (std::size_t j = 0; j < d; ++j) {
      const double kept = unit[j];
      unit[j] = *(row + static_cast<std::ptrdiff_t>(d + j));
      const double step = mean_at(unit) - here;
      effects[j] += step * step;
      unit[j] = kept;
    }
  }
  const double sum = std::accumulate(effects.begin(), effects.end(), 0.0);
  for (double& effect : effects) effect = sum > 0.0 ? effect / sum : 1.0 / static_cast<double>(d);
  return effects;
}

}  // namespace nomu
