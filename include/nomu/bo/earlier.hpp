#pragma once
/// Results of an earlier study of a similar problem, with which a new one may begin.

#include <vector>

#include "nomu/bo/optimize_spec.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {

class Study;

struct EarlierResults {
  std::vector<Point> points = {};
  std::vector<double> values = {};  ///< [points]

  friend bool operator==(const EarlierResults&, const EarlierResults&) = default;
};

/// The results of a study as points of another space: at most 60, the best ones and some from everywhere. Variables are
/// matched by name; results outside the space are left out. Throws ConfigError if the study lacks a variable of the
/// space or has another direction, and DataError if no result is left.
[[nodiscard]] EarlierResults earlier_results(const Study& study, const Space& space, Direction direction);

}  // namespace nomu
