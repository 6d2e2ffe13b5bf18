#pragma once
// How promising a point is: the logarithm of the expected improvement there, weighted with the probability that the
// evaluation succeeds.

#include <span>
#include <vector>

#include "bo/surrogate/process.hpp"

namespace nomu {

/// The logarithm of the weight of a point with this estimate of success (1) or failure (-1).
[[nodiscard]] double log_worth(const Process::Value& success);

class Promise {
 public:
  /// `success` may be null. Both must outlive it.
  Promise(const Process& process, const Process* success, double best)
      : process_(process), success_(success), best_(best) {}

  [[nodiscard]] double at(std::span<const double> inputs) const;
  /// The same, with slopes by every input.
  [[nodiscard]] double at(std::span<const double> inputs, std::span<double> slopes) const;
  [[nodiscard]] std::vector<double> at_all(const RowMatrix& inputs) const;

 private:
  const Process& process_;
  const Process* success_;
  double best_;
};

}  // namespace nomu
