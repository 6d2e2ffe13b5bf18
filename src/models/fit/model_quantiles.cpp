#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "nomu/core/error.hpp"
#include "nomu/models/model.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";

/// The level of the central bounds of which this is one; 0 for the median.
double level_of(double probability) {
  // 1 - 2 * 0.05 and 2 * 0.95 - 1 differ in the last bit; a level as people write it serves both.
  constexpr double digits = 1e12;
  return std::round(std::abs(2.0 * probability - 1.0) * digits) / digits;
}

void check_probabilities(std::span<const double> probabilities) {
  for (const double p : probabilities) {
    if (!(p > 0.0 && p < 1.0))
      throw ConfigError(where, fmt::format("quantiles must be probabilities inside (0, 1), got {}", p));
    if (std::ranges::count(probabilities, p) > 1)
      throw ConfigError(where, fmt::format("quantile {} is listed twice", p));
  }
}

/// The mean on the scale that the model learned, where predictions are symmetric.
std::vector<double> medians(const Model& model, std::span<const double> x, std::span<const double> noise) {
  std::vector<double> values = model.predict_warped(x, noise).mean;
  const TargetRange& range = model.data().range;
  for (double& value : values) value = std::clamp(model.warp().invert(value), range.low, range.high);
  return values;
}

}  // namespace

std::vector<double> Model::quantiles(std::span<const double> x, std::span<const double> probabilities,
                                     std::span<const double> noise, std::span<const std::string> strata) const {
  check_probabilities(probabilities);
  const std::size_t count = probabilities.size();
  std::vector<double> values(x.size() / cols() * count);
  std::map<double, Bounds> bounds_of;
  for (std::size_t k = 0; k < count; ++k) {
    const double level = level_of(probabilities[k]);
    if (!bounds_of.contains(level)) {
      try {
        const bool median = level == 0.0;
        bounds_of[level] =
            median ? Bounds{.lower = medians(*this, x, noise), .upper = {}} : bounds(x, level, noise, strata);
      } catch (const ConfigError& error) {
        throw ConfigError(
            where, fmt::format("quantile {} is a bound of level {}: {}", probabilities[k], level, error.message()));
      }
    }
    const Bounds& both = bounds_of[level];
    const std::vector<double>& side = probabilities[k] > 0.5 ? both.upper : both.lower;
    for (std::size_t i = 0; i < side.size(); ++i) values[i * count + k] = side[i];
  }
  // Bounds of different levels may cross, for example those of CV+ or with the mean.
  std::vector<std::size_t> order(count);
  for (std::size_t k = 0; k < count; ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](std::size_t k) { return probabilities[k]; });
  std::vector<double> sorted(count);
  for (std::size_t i = 0; count > 0 && i < values.size(); i += count) {
    const std::span<double> row = std::span(values).subspan(i, count);
    std::ranges::copy(row, sorted.begin());
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < count; ++k) row[order[k]] = sorted[k];
  }
  return values;
}

}  // namespace nomu
