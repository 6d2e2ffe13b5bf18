#pragma once
// How promising a point is: the logarithm of the expected improvement there, weighted with the probability that the
// evaluation succeeds, per unit of its cost.

#include <span>
#include <vector>

#include "bo/surrogate/cost_model.hpp"
#include "bo/surrogate/fantasies.hpp"
#include "bo/surrogate/process.hpp"

namespace nomu {

/// The logarithm of the weight of a point with this estimate of success (1) or failure (-1).
[[nodiscard]] double log_worth(const Process::Value& success);

class Promise {
 public:
  /// `success` and `cost` may be null. All must outlive it.
  Promise(const Process& process, const Process* success, const CostModel* cost, double best)
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
  const Process* success_;
  const CostModel* cost_;
  double best_;
  const Fantasies* fantasies_ = nullptr;
};

}  // namespace nomu
