#include "bo/surrogate/promise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nomu/bo/acquisition.hpp"

namespace nomu {
namespace {

constexpr double least_success = 1e-4;

double improvement(const Process::Value& value, double best) {
  return std::log(value.sigma) + log_improvement((value.mean - best) / value.sigma);
}

/// Phi / (phi + z Phi), the slope of log_improvement.
double improvement_slope(double z) {
  if (z < -30.0) return -z - 2.0 / z;  // the next term is of order z^-3
  return 0.5 * std::erfc(-z / std::numbers::sqrt2) / std::exp(log_improvement(z));
}

}  // namespace

/// One sigma below the estimate, squared: there is no data where everything fails, so that the large sigma of the
/// function there would outweigh the probability itself.
double log_worth(const Process::Value& success) {
  return 2.0 * std::log(std::clamp(0.5 * (1.0 + success.mean - success.sigma), least_success, 1.0));
}

double Promise::at(std::span<const double> inputs) const {
  const double value = improvement(process_.at(inputs), best_);
  return success_ == nullptr ? value : value + log_worth(success_->at(inputs));
}

double Promise::at(std::span<const double> inputs, std::span<double> slopes) const {
  std::vector<double> of_mean(inputs.size());
  std::vector<double> of_sigma(inputs.size());
  const Process::Value value = process_.at(inputs, of_mean, of_sigma);
  const double z = (value.mean - best_) / value.sigma;
  const double slope = improvement_slope(z) / value.sigma;
  for (std::size_t j = 0; j < inputs.size(); ++j)
    slopes[j] = slope * (of_mean[j] - z * of_sigma[j]) + of_sigma[j] / value.sigma;
  double promise = improvement(value, best_);
  if (success_ == nullptr) return promise;
  const Process::Value success = success_->at(inputs, of_mean, of_sigma);
  promise += log_worth(success);
  const double share = 0.5 * (1.0 + success.mean - success.sigma);
  if (share <= least_success || share >= 1.0) return promise;
  for (std::size_t j = 0; j < inputs.size(); ++j) slopes[j] += (of_mean[j] - of_sigma[j]) / share;
  return promise;
}

std::vector<double> Promise::at_all(const RowMatrix& inputs) const {
  const std::vector<Process::Value> values = process_.at_all(inputs);
  std::vector<double> result;
  result.reserve(values.size());
  for (const Process::Value& value : values) result.push_back(improvement(value, best_));
  if (success_ == nullptr) return result;
  const std::vector<Process::Value> success = success_->at_all(inputs);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += log_worth(success[i]);
  return result;
}

}  // namespace nomu
