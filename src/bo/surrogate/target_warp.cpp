#include "bo/surrogate/target_warp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nomu {

TargetWarp::TargetWarp(const std::vector<double>& values, double softness)
    : best_(*std::max_element(values.begin(), values.end())) {
  std::vector<double> below;
  below.reserve(values.size());
  for (const double value : values) below.push_back(best_ - value);
  const auto middle = below.begin() + static_cast<std::ptrdiff_t>(below.size() / 2);
  std::nth_element(below.begin(), middle, below.end());
  const auto count = static_cast<double>(values.size());
  // Once most results are at the best one, their median says nothing about the others.
  const double mean = std::accumulate(below.begin(), below.end(), 0.0) / count;
  softness_ = softness * std::max(*middle, 0.1 * mean);
  for (const double value : values) centre_ += compressed(value) / count;
  double square = 0.0;
  for (const double value : values) square += std::pow(compressed(value) - centre_, 2) / count;
  if (square > 0.0) width_ = std::sqrt(square);
}

double TargetWarp::compressed(double value) const {
  const double below = best_ - value;
  // Better than the best so far: there is nothing to compress.
  if (softness_ <= 0.0 || below <= 0.0) return -below;
  return -softness_ * std::log1p(below / softness_);
}

double TargetWarp::apply(double value) const { return (compressed(value) - centre_) / width_; }

double TargetWarp::invert(double scaled) const {
  const double below = -(centre_ + width_ * scaled);
  if (softness_ <= 0.0 || below <= 0.0) return best_ - below;
  return best_ - softness_ * std::expm1(below / softness_);
}

double TargetWarp::unit_at(double scaled) const {
  const double below = -(centre_ + width_ * scaled);
  return softness_ <= 0.0 || below <= 0.0 ? width_ : width_ * std::exp(below / softness_);
}

Vector TargetWarp::apply(const std::vector<double>& values) const {
  Vector result(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) result[static_cast<Eigen::Index>(i)] = apply(values[i]);
  return result;
}

double TargetWarp::log_jacobian(const std::vector<double>& values) const {
  double sum = -static_cast<double>(values.size()) * std::log(width_);
  if (softness_ <= 0.0) return sum;
  for (const double value : values) sum -= std::log1p((best_ - value) / softness_);
  return sum;
}

}  // namespace nomu
