#include "bo/surrogate/pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nomu/bo/acquisition.hpp"

namespace nomu {

Pool::Pool(const Process& process, RowMatrix inputs, std::vector<double> log_worth)
    : inputs_(std::move(inputs)),
      log_worth_(std::move(log_worth)),
      squares_(Vector::Zero(inputs_.rows())),
      scale_(process.scale()),
      nearest_(static_cast<std::size_t>(inputs_.rows()), std::numeric_limits<double>::infinity()),
      left_out_(static_cast<std::size_t>(inputs_.rows()), 0) {
  for (Eigen::Index k = 0; k < inputs_.rows(); ++k)
    means_.push_back(process.mean_at({inputs_.row(k).data(), static_cast<std::size_t>(inputs_.cols())}));
  log_worth_.resize(means_.size(), 0.0);
}

void Pool::add_row(const Process& process, Eigen::Index row) {
  if (row >= rows_.rows()) rows_.conservativeResize(std::max<Eigen::Index>(64, 2 * row), inputs_.rows());
  const std::span<const double> factor = process.factor_row(static_cast<std::size_t>(row));
  for (Eigen::Index k = 0; k < inputs_.rows(); ++k)
    rows_(row, k) = process.correlation(static_cast<std::size_t>(row), inputs_.row(k).data());
  for (Eigen::Index i = 0; i < row; ++i) rows_.row(row) -= factor[static_cast<std::size_t>(i)] * rows_.row(i);
  rows_.row(row) /= factor[static_cast<std::size_t>(row)];
  squares_ += rows_.row(row).cwiseAbs2().transpose();
}

void Pool::follow(const Process& process) {
  const auto known = static_cast<Eigen::Index>(process.rows().rows());
  const Eigen::Index all = known + static_cast<Eigen::Index>(process.believed());
  for (; count_ < all; ++count_) {
    add_row(process, count_);
    if (count_ < known) continue;
    const std::span<const double> point = process.believed_point(static_cast<std::size_t>(count_ - known));
    for (std::size_t k = 0; k < nearest_.size(); ++k) {
      const std::span<const double> inputs(inputs_.row(static_cast<Eigen::Index>(k)).data(), point.size());
      nearest_[k] = std::min(nearest_[k], nearest_distance(inputs, point));
    }
  }
}

std::optional<std::size_t> Pool::best(double best_value, double apart) const {
  std::optional<std::size_t> found;
  double most = 0.0;
  for (std::size_t k = 0; k < left_out_.size(); ++k) {
    if (left_out_[k] != 0 || nearest_[k] < apart) continue;
    const double sigma = scale_ * std::sqrt(std::max(1.0 - squares_[static_cast<Eigen::Index>(k)], 1e-14));
    const double promise = std::log(sigma) + log_improvement((means_[k] - best_value) / sigma) + log_worth_[k];
    if (found && !(promise > most)) continue;
    most = promise;
    found = k;
  }
  return found;
}

}  // namespace nomu
