#pragma once
/// What the results of a study say about its best point, about the gain from further trials, and about its variables.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "nomu/bo/optimize_spec.hpp"
#include "nomu/bo/trial.hpp"

namespace nomu {

/// According to a Gaussian process fitted to the results, whatever the method of the study; in units of the results.
/// Equal results, twice as many as the initial design has, promise no gain.
struct Outlook {
  Trial best = {};     ///< the best result; if results are noisy, the one with the best expected value
  double mean = 0.0;   ///< expected value of the function at its point; its result unless results are noisy
  double sigma = 0.0;  ///< standard deviation of that; 0 unless results are noisy
  double gain = 0.0;   ///< improvement that the next trial is expected to bring
  /// Whether that is more than a thousandth of the spread of the results: the distance from the median to the best one,
  /// or, if that is larger, from the lower quarter of the first ones (or of an earlier study's) to the best of these.
  bool worth_it = false;
};

/// Advice if some results are more than a thousand interquartile ranges worse than the median, which is what a failure
/// looks like that is told as a value. Empty otherwise, and with fewer than eight results.
[[nodiscard]] std::optional<std::string> advice_on_penalties(std::span<const double> results, Direction direction);

/// How much of the variation of the function is due to a variable, alone and together with others. Shares add up to 1.
struct Importance {
  std::string variable;
  double share = 0.0;
  double deviation = 0.0;  ///< standard deviation of the share over ten models, each of about two thirds of the results
};

/// Larger is better. `mean` and `sigma` belong to a point, `best` is the best result, all in units of the results.
using CustomAcquisition = std::function<double(double mean, double sigma, double best)>;

}  // namespace nomu
