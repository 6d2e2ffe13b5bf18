#pragma once
// How promising a point is: the logarithm of the expected improvement there, weighted with the probability that the
// evaluation succeeds, per unit of its cost.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bo/surrogate/cost_model.hpp"
#include "bo/surrogate/fantasies.hpp"
#include "bo/surrogate/process.hpp"

namespace nomu {

/// What a point is worth where evaluations fail: a weight of its improvement, from a process of successes and failures.
class SuccessWorth {
 public:
  /// How the weight follows from the estimate of success (1) or failure (-1).
  enum class Weight {
    cautious,    ///< the square of the share that is left one sigma below the estimate
    probability  ///< the square of the probability of success
  };

  SuccessWorth(std::shared_ptr<const Process> process, Weight weight) : process_(std::move(process)), weight_(weight) {}

  /// The logarithm of the weight.
  [[nodiscard]] double log_at(std::span<const double> inputs) const { return log_of(process_->at(inputs)); }
  /// The same, with slopes by every input.
  [[nodiscard]] double log_at(std::span<const double> inputs, std::span<double> slopes) const;
  [[nodiscard]] std::vector<double> log_at_all(const RowMatrix& inputs) const;
  /// The share of evaluations that are expected to succeed there.
  [[nodiscard]] double estimate_at(std::span<const double> inputs) const {
    return 0.5 * (1.0 + process_->mean_at(inputs));
  }

 private:
  [[nodiscard]] double log_of(const Process::Value& success) const;

  std::shared_ptr<const Process> process_;
  Weight weight_;
};

class Promise {
 public:
  /// `success` and `cost` may be null. All must outlive it.
  Promise(const Process& process, const SuccessWorth* success, const CostModel* cost, double best)
      : process_(process), success_(success), cost_(cost), best_(best) {}
  /// The improvement is the mean over what the results that are on their way may be; must outlive it as well.
  void expect(const Fantasies& fantasies) { fantasies_ = &fantasies; }

  [[nodiscard]] double at(std::span<const double> inputs) const;
  /// The same, with slopes by every input.
  [[nodiscard]] double at(std::span<const double> inputs, std::span<double> slopes) const;
  [[nodiscard]] std::vector<double> at_all(const RowMatrix& inputs) const;

 private:
  [[nodiscard]] double gain(const Process::Value& value, std::span<const double> inputs) const;

  const Process& process_;
  const SuccessWorth* success_;
  const CostModel* cost_;
  double best_;
  const Fantasies* fantasies_ = nullptr;
};

}  // namespace nomu
