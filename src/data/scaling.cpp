#include "nomu/data/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/drawn_in.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "data/scaling";

void check_size(std::size_t size, std::size_t cols) {
  if (cols == 0 || size % cols != 0) {
    throw DataError(where, fmt::format("{} values do not fill rows of {} columns", size, cols));
  }
}

/// Applies `map(value, column)` to every value.
template <class Map>
std::vector<double> mapped(std::span<const double> values, std::size_t cols, Map map) {
  check_size(values.size(), cols);
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = map(values[i], i % cols);
  return out;
}

/// Where the middle of a column is, and how far its values lie from it.
struct Moments {
  double mean = 0.0;
  double deviation = 0.0;
};

/// How far values may lie from the median, in units of a normal distribution's standard deviation.
constexpr double robust_reach = 3.0;

/// Median and, scaled so that it estimates a normal distribution's deviation, the distance between the quartiles. A
/// column with more than half its values alike has no such distance: then half the range.
Moments quartiles(std::span<const double> values, std::size_t cols, std::size_t column, double half_range) {
  std::vector<double> sorted;
  for (std::size_t i = column; i < values.size(); i += cols) sorted.push_back(values[i]);
  std::ranges::sort(sorted);
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
  };
  const double distance = at(0.75) / 1.349 - at(0.25) / 1.349;
  return {at(0.5), distance > 0.0 ? distance : half_range};
}

/// Mean and population standard deviation, computed around the mid-range. Differences are scaled to about 1 by a power
/// of two, which is exact, so that squares of huge values do not overflow and those of tiny values do not vanish.
Moments moments(std::span<const double> values, std::size_t cols, std::size_t column, double centre,
                double half_range) {
  int exponent = 0;
  (void)std::frexp(half_range, &exponent);
  const std::size_t rows = values.size() / cols;
  const auto count = static_cast<double>(rows);
  const auto reduced = [&](std::size_t i) { return std::ldexp(values[i] - centre, -exponent); };
  double sum = 0.0;
  for (std::size_t i = column; i < values.size(); i += cols) sum += reduced(i);
  const double mean = sum / count;
  double squares = 0.0;
  for (std::size_t i = column; i < values.size(); i += cols) squares += (reduced(i) - mean) * (reduced(i) - mean);
  return {centre + std::ldexp(mean, exponent), std::ldexp(std::sqrt(squares / count), exponent)};
}

}  // namespace

std::vector<double> Scaling::apply(std::span<const double> values) const {
  return mapped(values, cols(), [&](double value, std::size_t j) {
    const double difference = value - shift[j];
    // Only values near the limits of double overflow here, and halving those is exact.
    const double scaled =
        std::isfinite(difference) ? difference / factor[j] : (value / 2 - shift[j] / 2) / (factor[j] / 2);
    return DrawnIn{reach, straight}.in(scaled);
  });
}

std::vector<double> Scaling::invert(std::span<const double> scaled) const {
  return mapped(scaled, cols(), [&](double value, std::size_t j) {
    return std::fma(DrawnIn{reach, straight}.out(value), factor[j], shift[j]);
  });
}

std::vector<double> Scaling::apply_width(std::span<const double> widths) const {
  return mapped(widths, cols(), [&](double width, std::size_t j) { return width / factor[j]; });
}

std::vector<double> Scaling::invert_width(std::span<const double> widths) const {
  return mapped(widths, cols(), [&](double width, std::size_t j) { return width * factor[j]; });
}

Scaling fit_scaling(std::span<const double> values, std::size_t cols, ScalingKind kind) {
  check_size(values.size(), cols);
  if (values.empty()) throw DataError(where, "no rows to learn the scaling from");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw DataError(where, fmt::format("row {}, column {} (counted from 0) is {}; every number must be finite",
                                         i / cols, i % cols, values[i]));
    }
  }
  Scaling scaling{.shift = std::vector<double>(cols, 0.0), .factor = std::vector<double>(cols, 1.0)};
  if (kind == ScalingKind::identity) return scaling;
  if (kind == ScalingKind::robust) scaling.reach = robust_reach;
  for (std::size_t j = 0; j < cols; ++j) {
    double low = values[j];
    double high = values[j];
    for (std::size_t i = j; i < values.size(); i += cols) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    if (low == high) {
      scaling.shift[j] = low;
      continue;
    }
    // Halve first: the range of finite numbers may overflow, but half of it cannot.
    const double half_range = high / 2 - low / 2;
    const double centre = low + half_range;
    const Moments found = kind == ScalingKind::standardise ? moments(values, cols, j, centre, half_range)
                          : kind == ScalingKind::robust    ? quartiles(values, cols, j, half_range)
                                                           : Moments{centre, half_range};
    scaling.shift[j] = found.mean;
    scaling.factor[j] = std::max(found.deviation, std::numeric_limits<double>::denorm_min());
  }
  return scaling;
}

DataSet scaled_dataset(const DataSet& data, const Scaling& inputs, const Scaling& targets) {
  if (inputs.cols() != data.cols() || targets.cols() != 1) {
    throw DataError(where,
                    fmt::format("the data set has {} inputs and one target, but the scalings have {} and {} columns",
                                data.cols(), inputs.cols(), targets.cols()));
  }
  DataSet scaled = data;
  scaled.inputs = inputs.apply(data.inputs);
  scaled.targets = targets.apply(data.targets);
  scaled.noise = targets.apply_width(data.noise);
  return scaled;
}

}  // namespace nomu
