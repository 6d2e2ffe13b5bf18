#include "bo/surrogate/promise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nomu/bo/acquisition.hpp"

namespace nomu {
namespace {

constexpr double least_share = 1e-4;
constexpr double least_z = -30.0;    // failure is certain
constexpr double least_sigma = 0.1;  // an outcome is never known better than its neighbours'

double spread_of(const Process::Value& success) { return std::hypot(success.sigma, least_sigma); }

/// One sigma below the estimate.
double cautious_share(const Process::Value& success) { return 0.5 * (1.0 + success.mean - success.sigma); }

double log_normal_share(double z) { return std::log(0.5 * std::erfc(-z / std::numbers::sqrt2)); }

double improvement(const Process::Value& value, double best) {
  return std::log(value.sigma) + log_improvement((value.mean - best) / value.sigma);
}

/// Phi / (phi + z Phi), the slope of log_improvement.
double improvement_slope(double z) {
  if (z < -30.0) return -z - 2.0 / z;  // the next term is of order z^-3
  return 0.5 * std::erfc(-z / std::numbers::sqrt2) / std::exp(log_improvement(z));
}

/// Adds this share of the slopes of the logarithm of an improvement.
void add_slopes(const Process::Value& value, double best, double share, std::span<const double> of_mean,
                std::span<const double> of_sigma, std::span<double> slopes) {
  const double z = (value.mean - best) / value.sigma;
  const double slope = improvement_slope(z) / value.sigma;
  for (std::size_t j = 0; j < slopes.size(); ++j)
    slopes[j] += share * (slope * (of_mean[j] - z * of_sigma[j]) + of_sigma[j] / value.sigma);
}

}  // namespace

/// Squared: there is no data where everything fails, so that the large sigma of the function there would outweigh the
/// probability itself.
double SuccessWorth::log_of(const Process::Value& success) const {
  if (weight_ == Weight::probability)
    return 2.0 * log_normal_share(std::max(success.mean / spread_of(success), least_z));
  return 2.0 * std::log(std::clamp(cautious_share(success), least_share, 1.0));
}

double SuccessWorth::log_at(std::span<const double> inputs, std::span<double> slopes) const {
  std::vector<double> of_sigma(inputs.size());
  const Process::Value success = process_->at(inputs, slopes, of_sigma);  // `slopes`: those of the mean, for now
  if (weight_ == Weight::cautious) {
    const double share = cautious_share(success);
    const bool flat = share <= least_share || share >= 1.0;
    for (std::size_t j = 0; j < slopes.size(); ++j) slopes[j] = flat ? 0.0 : (slopes[j] - of_sigma[j]) / share;
    return log_of(success);
  }
  const double spread = spread_of(success);
  const double z = success.mean / spread;
  const double factor =
      z < least_z ? 0.0 : std::exp(-0.5 * z * z - log_normal_share(z)) / std::sqrt(2.0 * std::numbers::pi) / spread;
  for (std::size_t j = 0; j < slopes.size(); ++j)
    slopes[j] = 2.0 * factor * (slopes[j] - z * of_sigma[j] * success.sigma / spread);
  return log_of(success);
}

std::vector<double> SuccessWorth::log_at_all(const RowMatrix& inputs) const {
  std::vector<double> result;
  for (const Process::Value& success : process_->at_all(inputs)) result.push_back(log_of(success));
  return result;
}

/// The logarithm of the mean improvement over all fantasies.
double Promise::gain(const Process::Value& value, std::span<const double> inputs) const {
  if (fantasies_ == nullptr) return improvement(value, best_);
  const Vector means = fantasies_->means(inputs);
  std::vector<double> logs;
  for (std::size_t s = 0; s < fantasies_->count(); ++s)
    logs.push_back(improvement({means[static_cast<Eigen::Index>(s)], value.sigma}, fantasies_->bests()[s]));
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0.0;
  for (const double log : logs) sum += std::exp(log - most);
  return most + std::log(sum / static_cast<double>(logs.size()));
}

double Promise::at(std::span<const double> inputs) const {
  double value = gain(process_.at(inputs), inputs);
  if (cost_ != nullptr) value -= cost_->log_at(inputs);
  return success_ == nullptr ? value : value + success_->log_at(inputs);
}

double Promise::at(std::span<const double> inputs, std::span<double> slopes) const {
  std::vector<double> of_mean(inputs.size());
  std::vector<double> of_sigma(inputs.size());
  const Process::Value value = process_.at(inputs, of_mean, of_sigma);
  double promise = gain(value, inputs);
  std::ranges::fill(slopes, 0.0);
  if (fantasies_ == nullptr) {
    add_slopes(value, best_, 1.0, of_mean, of_sigma, slopes);
  } else {
    const Vector means = fantasies_->means(inputs);
    const RowMatrix of_means = fantasies_->slopes(inputs);
    for (std::size_t s = 0; s < fantasies_->count(); ++s) {
      const auto row = static_cast<Eigen::Index>(s);
      const Process::Value drawn{means[row], value.sigma};
      const double best = fantasies_->bests()[s];
      const double share = std::exp(improvement(drawn, best) - promise) / static_cast<double>(fantasies_->count());
      add_slopes(drawn, best, share, {of_means.row(row).data(), inputs.size()}, of_sigma, slopes);
    }
  }
  if (cost_ != nullptr) {
    promise -= cost_->log_at(inputs, of_mean);
    for (std::size_t j = 0; j < inputs.size(); ++j) slopes[j] -= of_mean[j];
  }
  if (success_ == nullptr) return promise;
  promise += success_->log_at(inputs, of_mean);
  for (std::size_t j = 0; j < inputs.size(); ++j) slopes[j] += of_mean[j];
  return promise;
}

std::vector<double> Promise::at_all(const RowMatrix& inputs) const {
  const std::vector<Process::Value> values = process_.at_all(inputs);
  std::vector<double> result;
  result.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    result.push_back(gain(values[i], {inputs.row(row).data(), static_cast<std::size_t>(inputs.cols())}));
  }
  for (std::size_t i = 0; cost_ != nullptr && i < result.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    result[i] -= cost_->log_at({inputs.row(row).data(), static_cast<std::size_t>(inputs.cols())});
  }
  if (success_ == nullptr) return result;
  const std::vector<double> success = success_->log_at_all(inputs);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += success[i];
  return result;
}

}  // namespace nomu
