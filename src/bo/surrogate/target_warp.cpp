#include "bo/surrogate/target_warp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace nomu {
namespace {

/// The power of two by which values are divided whose squares or differences would overflow, or vanish. 0, so that all
/// bits stay as they are, for those of ordinary size.
int exponent_of(const std::vector<double>& values) {
  constexpr double largest = 1e100;
  constexpr double smallest = 1e-100;
  double magnitude = 0.0;
  for (const double value : values) magnitude = std::max(magnitude, std::abs(value));
  if (magnitude == 0.0 || (magnitude <= largest && magnitude >= smallest)) return 0;
  return std::ilogb(magnitude) + 1;
}

/// What is modelled may lie beyond all numbers where the results are among the largest.
double within_numbers(double value) {
  constexpr double most = std::numeric_limits<double>::max();
  return std::clamp(value, -most, most);
}

}  // namespace

TargetWarp::TargetWarp(const std::vector<double>& values, double softness)
    : exponent_(exponent_of(values)), best_(std::ldexp(*std::max_element(values.begin(), values.end()), -exponent_)) {
  std::vector<double> below;
  below.reserve(values.size());
  for (const double value : values) below.push_back(distance(value));
  const auto middle = below.begin() + static_cast<std::ptrdiff_t>(below.size() / 2);
  std::nth_element(below.begin(), middle, below.end());
  const auto count = static_cast<double>(values.size());
  // Once most results are at the best one, their median says nothing about the others.
  const double mean = std::accumulate(below.begin(), below.end(), 0.0) / count;
  const double unit = std::max(*middle, 0.1 * mean);
  softness_ = softness * unit;
  if (*middle > 0.0) medians_ = unit / *middle;
  for (const double value : values) centre_ += compressed(value) / count;
  double square = 0.0;
  for (const double value : values) square += std::pow(compressed(value) - centre_, 2) / count;
  if (square > 0.0) width_ = std::sqrt(square);
}

double TargetWarp::distance(double value) const { return best_ - std::ldexp(value, -exponent_); }

double TargetWarp::compressed(double value) const {
  const double below = distance(value);
  // Better than the best so far: there is nothing to compress.
  if (softness_ <= 0.0 || below <= 0.0) return -below;
  return -softness_ * std::log1p(below / softness_);
}

double TargetWarp::apply(double value) const { return (compressed(value) - centre_) / width_; }

double TargetWarp::invert(double scaled) const {
  const double below = -(centre_ + width_ * scaled);
  const bool straight = softness_ <= 0.0 || below <= 0.0;
  const double value = straight ? best_ - below : best_ - softness_ * std::expm1(below / softness_);
  return within_numbers(std::ldexp(value, exponent_));
}

double TargetWarp::unit_at(double scaled) const {
  const double below = -(centre_ + width_ * scaled);
  const double unit = softness_ <= 0.0 || below <= 0.0 ? width_ : width_ * std::exp(below / softness_);
  return within_numbers(std::ldexp(unit, exponent_));
}

Vector TargetWarp::apply(const std::vector<double>& values) const {
  Vector result(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) result[static_cast<Eigen::Index>(i)] = apply(values[i]);
  return result;
}

double TargetWarp::log_jacobian(const std::vector<double>& values) const {
  double sum = -static_cast<double>(values.size()) * (std::log(width_) + exponent_ * std::numbers::ln2);
  if (softness_ <= 0.0) return sum;
  for (const double value : values) sum -= std::log1p(distance(value) / softness_);
  return sum;
}

}  // namespace nomu
