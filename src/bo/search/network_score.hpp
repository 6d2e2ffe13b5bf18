#pragma once
// Whether networks predict unseen results of a study better than a Gaussian process does.

#include <cstdint>
#include <vector>

#include "bo/surrogate/learned.hpp"
#include "nomu/bo/optimize_spec.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu {

/// Results of a study; larger values are better.
struct ScoredResults {
  std::vector<Point> points;
  std::vector<double> values;
};

/// Whether networks that were trained without a part of the results give that part a larger density than a process of
/// all the others, explained by `explained`, gives each. Their sigma is scaled by the factor that suits all parts best.
[[nodiscard]] bool networks_predict_better(const OptimizeSpec& spec, const Space& space, const ScoredResults& results,
                                           const LearnSpec& explained, std::uint64_t seed, Engine& engine,
                                           const Progress& progress);

}  // namespace nomu
