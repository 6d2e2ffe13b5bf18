#include "nomu/eval/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/bootstrap.hpp"
#include "eval/normal.hpp"
#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "eval/statistics";

void check_values(std::span<const double> values) { require_finite(where, "value", values); }

double plain_mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Type-7 quantile; reorders the values.
double quantile_in_place(std::vector<double>& values, double p) {
  const double position = static_cast<double>(values.size() - 1) * p;
  const auto below = static_cast<std::ptrdiff_t>(position);
  const auto place = values.begin() + below;
  std::ranges::nth_element(values, place);
  const double low = *place;
  if (place + 1 == values.end()) return low;
  return std::lerp(low, *std::min_element(place + 1, values.end()), position - static_cast<double>(below));
}

/// Probabilities of 0, ..., trials successes of a beta-binomial. Neighbours have a simple ratio, so the logarithms are
/// summed from those. This avoids the normalising betas and with them std::lgamma, which is not thread-safe.
std::vector<double> beta_binomial(std::size_t trials, double a, double b) {
  const auto m = static_cast<double>(trials);
  std::vector<double> probability(trials + 1, 0.0);
  for (std::size_t count = 0; count < trials; ++count) {
    const auto j = static_cast<double>(count);
    probability[count + 1] = probability[count] + std::log((m - j) / (j + 1.0)) + std::log((a + j) / (b + m - j - 1.0));
  }
  const double largest = std::ranges::max(probability);
  for (double& value : probability) value = std::exp(value - largest);
  const double total = std::accumulate(probability.begin(), probability.end(), 0.0);
  for (double& value : probability) value /= total;
  return probability;
}

}  // namespace

double mean(std::span<const double> values) {
  check_values(values);
  return plain_mean(values);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double quantile(std::span<const double> values, double p) {
  check_values(values);
  if (!(p >= 0.0 && p <= 1.0)) throw ConfigError(where, fmt::format("p must be in [0, 1], got {}", p));
  std::vector<double> copy(values.begin(), values.end());
  return quantile_in_place(copy, p);
}

double standard_deviation(std::span<const double> values) {
  const double centre = mean(values);
  if (values.size() == 1) return 0.0;
  double sum = 0.0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double standard_error(std::span<const double> values) {
  return standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
}

Interval normal_interval(std::span<const double> values, double level) {
  require_level(where, level);
  const double centre = mean(values);
  const double half_width = -normal_quantile(0.5 * (1.0 - level)) * standard_error(values);
  return {.lower = centre - half_width, .upper = centre + half_width};
}

Interval bootstrap_median_interval(std::span<const double> values, const BootstrapSpec& spec) {
  check_values(values);
  require_level(where, spec.level);
  if (spec.resamples == 0) throw ConfigError(where, "at least one resample is needed, got 0");
  Random random(spec.seed);
  std::vector<double> sample(values.size());
  std::vector<double> medians(spec.resamples);
  for (double& median : medians) {
    for (double& value : sample) value = values[random.below(values.size())];
    median = quantile_in_place(sample, 0.5);
  }
  return {.lower = quantile_in_place(medians, 0.5 * (1.0 - spec.level)),
          .upper = quantile_in_place(medians, 0.5 * (1.0 + spec.level))};
}

std::vector<double> ranks_of(std::span<const double> values) {
  check_values(values);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + 1 + end);
    first = end;
  }
  return ranks;
}

double spearman(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw DataError(where, fmt::format("{} and {} values cannot be paired; give equally many", a.size(), b.size()));
  }
  if (a.size() < 2) throw DataError(where, fmt::format("a correlation needs at least 2 pairs, got {}", a.size()));
  const std::vector<double> ranks_a = ranks_of(a);
  const std::vector<double> ranks_b = ranks_of(b);
  const double centre = 0.5 * static_cast<double>(a.size() + 1);
  double cross = 0.0;
  double square_a = 0.0;
  double square_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    cross += (ranks_a[i] - centre) * (ranks_b[i] - centre);
    square_a += (ranks_a[i] - centre) * (ranks_a[i] - centre);
    square_b += (ranks_b[i] - centre) * (ranks_b[i] - centre);
  }
  if (square_a == 0.0 || square_b == 0.0) {
    throw DataError(where, "all values of one side are equal; a constant has no correlation");
  }
  return std::clamp(cross / std::sqrt(square_a * square_b), -1.0, 1.0);
}

Interval conformal_coverage_interval(std::size_t calibration_rows, std::size_t test_rows, double level,
                                     double confidence) {
  require_level(where, level);
  if (!(confidence > 0.0 && confidence < 1.0)) {
    throw ConfigError(where, fmt::format("confidence must be in (0, 1), got {}", confidence));
  }
  if (test_rows == 0) throw ConfigError(where, "coverage needs at least one test row, got 0");
  const std::size_t k = conformal_rank(calibration_rows, level);
  const std::vector<double> probability =
      beta_binomial(test_rows, static_cast<double>(k), static_cast<double>(calibration_rows + 1 - k));
  const double tail = 0.5 * (1.0 - confidence);
  // Drop counts at either end as long as their total probability stays within the tail.
  std::size_t low = 0;
  for (double dropped = probability[low]; dropped <= tail; dropped += probability[low]) ++low;
  std::size_t high = test_rows;
  for (double dropped = probability[high]; dropped <= tail; dropped += probability[high]) --high;
  const auto m = static_cast<double>(test_rows);
  return {.lower = static_cast<double>(low) / m, .upper = static_cast<double>(high) / m};
}

}  // namespace nomu
