#include "models/evidence/noise_limits.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

/// Limits at two quantiles, with the factor that fits the errors best.
NoiseLimits limits_at(std::span<const double> sigma, std::span<const double> errors, double share) {
  NoiseLimits limits{.low = quantile(sigma, share), .high = quantile(sigma, 1.0 - share)};
  double squares = 0.0;
  for (std::size_t i = 0; i < sigma.size(); ++i) squares += std::pow(errors[i] / limits.applied(sigma[i]), 2);
  limits.factor = std::sqrt(squares / static_cast<double>(sigma.size()));
  limits.low *= limits.factor;
  limits.high *= limits.factor;
  return limits;
}

/// Gaussian loss of each unit.
std::vector<double> losses(const NoiseLimits& limits, std::span<const double> sigma, std::span<const double> errors,
                           const Units& units) {
  std::vector<double> sums(units.count, 0.0);
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    const double deviation = limits.applied(sigma[i]);
    sums[units.of_row[i]] += std::log(deviation) + 0.5 * std::pow(errors[i] / deviation, 2);
  }
  return sums;
}

bool clearly_less(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double gain = (std::accumulate(b.begin(), b.end(), 0.0) - std::accumulate(a.begin(), a.end(), 0.0)) / n;
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(b[i] - a[i] - gain, 2);
  return gain > std::sqrt(squares) / n;
}

}  // namespace

Units independent_parts(const DataSet& data) {
  constexpr std::size_t stretches = 20;
  if (!data.groups.empty()) return group_units(data.groups);
  if (data.times.empty()) return distinct_rows(data.inputs, data.cols());
  Units units{.of_row = std::vector<std::size_t>(data.rows()), .count = std::min(stretches, data.rows())};
  std::vector<std::size_t> order(data.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return data.times[i]; });
  for (std::size_t k = 0; k < order.size(); ++k) units.of_row[order[k]] = k * units.count / order.size();
  return units;
}

NoiseLimits choose_limits(std::span<const double> sigma, std::span<const double> errors, const Units& units) {
  NoiseLimits best = limits_at(sigma, errors, 0.5);
  const std::vector<double> constant = losses(best, sigma, errors, units);
  double least = std::numeric_limits<double>::infinity();
  for (const double share : {0.25, 0.01}) {
    const NoiseLimits wider = limits_at(sigma, errors, share);
    const std::vector<double> loss = losses(wider, sigma, errors, units);
    const double sum = std::accumulate(loss.begin(), loss.end(), 0.0);
    if (!clearly_less(loss, constant) || sum >= least) continue;
    best = wider;
    least = sum;
  }
  return best;
}

}  // namespace nomu
