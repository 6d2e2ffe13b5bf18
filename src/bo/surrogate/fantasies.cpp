#include "bo/surrogate/fantasies.hpp"

#include <algorithm>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::size_t draws = 16;

}  // namespace

Fantasies::Fantasies(const Process& process, double best, std::uint64_t seed)
    : process_(&process), weights_(static_cast<Eigen::Index>(draws), static_cast<Eigen::Index>(process.known())) {
  const std::size_t believed = process.believed();
  Matrix normal(static_cast<Eigen::Index>(believed), static_cast<Eigen::Index>(draws));
  for (std::size_t k = 0; k < believed; ++k) {
    Random random(derived_seed(seed, k));
    const std::vector<std::size_t> order = random.permutation(draws);
    // In pairs of opposite sign, so that the draws of a point have the mean 0.
    for (std::size_t s = 0; s < draws; s += 2) {
      const double z = random.normal();
      normal(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(order[s])) = z;
      normal(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(order[s + 1])) = -z;
    }
  }
  for (Eigen::Index s = 0; s < weights_.rows(); ++s) weights_.row(s) = process.drawn_weights(normal.col(s)).transpose();
  bests_.assign(draws, best);
  for (std::size_t k = 0; k < believed; ++k) {
    const Vector there = means(process.believed_point(k));
    for (std::size_t s = 0; s < draws; ++s) bests_[s] = std::max(bests_[s], there[static_cast<Eigen::Index>(s)]);
  }
}

Vector Fantasies::means(std::span<const double> inputs) const {
  return (weights_ * process_->correlations(inputs.data())).array() + process_->trend_at(inputs.data());
}

RowMatrix Fantasies::slopes(std::span<const double> inputs) const {
  return (weights_ * process_->correlation_slopes(inputs)).rowwise() + process_->trend_slopes(inputs).transpose();
}

}  // namespace nomu
