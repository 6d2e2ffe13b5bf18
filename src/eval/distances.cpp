#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "nomu/core/error.hpp"
#include "nomu/eval/desiderata.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_neighbours = 64;  ///< farther rows hardly matter to the posterior once there are so many
constexpr std::size_t most_measured = 128;   ///< rows whose distances from each other give the kernel's length
constexpr double jitter = 1e-9;              ///< rows may repeat

/// Training rows in widths of a box.
class ScaledRows {
 public:
  ScaledRows(std::span<const double> points, std::span<const double> train, std::span<const double> low,
             std::span<const double> high)
      : train_(train), cols_(low.size()) {
    if (cols_ == 0 || high.size() != cols_ || points.size() % cols_ != 0 || train.size() % cols_ != 0) {
      throw DataError("eval/desiderata", fmt::format("{} and {} values do not fill rows of {} inputs", points.size(),
                                                     train.size(), cols_));
    }
    if (train.empty()) throw DataError("eval/desiderata", "there is no training row to measure distances to");
    for (std::size_t j = 0; j < cols_; ++j) scale_.push_back(high[j] > low[j] ? 1.0 / (high[j] - low[j]) : 0.0);
  }

  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::size_t count() const { return train_.size() / cols_; }

  /// Squared distance of the row that begins at `x` to training row i.
  [[nodiscard]] double squared(const double* x, std::size_t i) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < cols_; ++j) {
      const double difference = (x[j] - train_[i * cols_ + j]) * scale_[j];
      sum += difference * difference;
    }
    return sum;
  }

  /// Distance of two training rows.
  [[nodiscard]] double between(std::size_t a, std::size_t b) const { return std::sqrt(squared(&train_[a * cols_], b)); }

  /// Median distance of training rows taken evenly from all of them; 1 where they all coincide.
  [[nodiscard]] double typical_distance() const {
    const std::size_t step = (count() + most_measured - 1) / most_measured;
    std::vector<double> all;
    for (std::size_t a = 0; a < count(); a += step) {
      for (std::size_t b = 0; b < a; b += step) all.push_back(between(a, b));
    }
    const double middle = all.empty() ? 0.0 : median(all);
    return middle > 0.0 ? middle : 1.0;
  }

 private:
  std::span<const double> train_;
  std::size_t cols_;
  std::vector<double> scale_;
};

/// Posterior variance at a point that has covariance `near` [m] with rows whose covariances are `among` [m][m]:
/// 1 - |L^-1 near|^2 with among = L L^T. Both are overwritten.
double posterior_variance(std::vector<double>& among, std::vector<double>& near) {
  const std::size_t m = near.size();
  double variance = 1.0;
  for (std::size_t i = 0; i < m; ++i) {
    double* const row = &among[i * m];
    for (std::size_t k = 0; k <= i; ++k) {
      const double* const other = &among[k * m];
      const double rest = row[k] - std::inner_product(row, row + k, other, 0.0);
      row[k] = k == i ? std::sqrt(std::max(rest, jitter)) : rest / other[k];
    }
    near[i] = (near[i] - std::inner_product(row, row + i, near.begin(), 0.0)) / row[i];
    variance -= near[i] * near[i];
  }
  return std::max(variance, 0.0);
}

}  // namespace

std::vector<double> distances_to_data(std::span<const double> points, std::span<const double> train_inputs,
                                      std::span<const double> low, std::span<const double> high) {
  const ScaledRows rows(points, train_inputs, low, high);
  std::vector<double> nearest;
  for (std::size_t p = 0; p < points.size(); p += rows.cols()) {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows.count(); ++i) smallest = std::min(smallest, rows.squared(&points[p], i));
    nearest.push_back(std::sqrt(smallest));
  }
  return nearest;
}

std::vector<double> posterior_deviations(std::span<const double> points, std::span<const double> train_inputs,
                                         std::span<const double> low, std::span<const double> high) {
  const ScaledRows rows(points, train_inputs, low, high);
  const double length = rows.typical_distance();
  const std::size_t m = std::min(rows.count(), most_neighbours);
  std::vector<double> squares(rows.count());
  std::vector<std::size_t> order(rows.count());
  std::vector<double> among(m * m);
  std::vector<double> near(m);
  std::vector<double> deviations;
  for (std::size_t p = 0; p < points.size(); p += rows.cols()) {
    for (std::size_t i = 0; i < rows.count(); ++i) squares[i] = rows.squared(&points[p], i);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(m), {}, [&](std::size_t i) {
      return std::pair{squares[i], i};
    });
    for (std::size_t a = 0; a < m; ++a) {
      near[a] = std::exp(-std::sqrt(squares[order[a]]) / length);
      for (std::size_t b = 0; b <= a; ++b) among[a * m + b] = std::exp(-rows.between(order[a], order[b]) / length);
      among[a * m + a] += jitter;
    }
    deviations.push_back(std::sqrt(posterior_variance(among, near)));
  }
  return deviations;
}

}  // namespace nomu
