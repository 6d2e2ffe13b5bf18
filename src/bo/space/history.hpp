#pragma once
// What a suggestion depends on, and what a suggestion is: the data that the search and the store of studies exchange.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/bo/optimize_spec.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {

/// The part of a study's past that decides about its next point.
struct History {
  std::int64_t trials = 0;          ///< number of trials asked for so far
  std::int64_t finished = 0;        ///< number of trials with a result
  std::vector<Point> points = {};   ///< rows to fit, in the order in which their results came
  std::vector<double> values = {};  ///< results of these rows
  std::vector<Point> failed = {};   ///< the latest failures
  std::vector<Point> pending = {};  ///< the latest pending trials
  double c = 0.0;                   ///< fixed by the first fit; 0: there was none yet
  std::vector<double> costs = {};   ///< of the rows to fit, 0 where it was not told; empty if no cost was ever told
};

/// The texts of `Trial::origin`; studies keep them, so they must not change.
struct Origin {
  static constexpr std::string_view design = "design";
  static constexpr std::string_view process = "gp";     ///< the process of method auto
  static constexpr std::string_view networks = "nomu";  ///< the networks of method auto
  static constexpr std::string_view model = "model";    ///< the model of another method
  static constexpr std::string_view random = "random";
  static constexpr std::string_view custom = "custom";
  static constexpr std::string_view given = "given";
};

struct Suggestion {
  Point point;
  std::string origin;  ///< see Trial::origin
  double c = 0.0;      ///< value that later steps keep, before Dynamic c; 0: no model was used
};

/// Whether a point of this origin was proposed by a model.
[[nodiscard]] inline bool from_model(std::string_view origin) {
  return origin == Origin::model || origin == Origin::process || origin == Origin::networks;
}

inline constexpr std::int64_t most_failed = 200;   ///< number of failures in a history
inline constexpr std::int64_t most_pending = 500;  ///< number of pending trials in a history
/// The same for this method: batches of auto are large.
[[nodiscard]] inline std::int64_t pending_of(const OptimizeSpec& spec) {
  return proposer_of(spec) == Proposer::automatic ? 2000 : most_pending;
}

/// Indices of the results a model is fitted to, in ascending order: all of them if there are at most `most`. Otherwise
/// the best results make up half of `most`, the latest ones a quarter, and the rest is spaced evenly over all results.
[[nodiscard]] std::vector<std::size_t> fit_subset(const std::vector<double>& values, Direction direction,
                                                  std::size_t most);

}  // namespace nomu
