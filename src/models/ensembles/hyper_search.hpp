#pragma once
// The search of hyper deep ensembles (Algorithm 2 of the paper): trains the networks of all problems as cohorts and
// picks the best ensemble for each problem.

#include <cstdint>
#include <vector>

#include "engine/plan.hpp"
#include "models/network/train.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/hyper_deep_ensemble.hpp"

namespace nomu {

/// A network of one problem: what it was trained with, and how often it counts in its ensemble.
struct HyperNetwork {
  std::size_t problem = 0;
  std::uint64_t seed = 0;
  double dropout = 0.0;
  double l2 = 0.0;
  std::size_t picks = 0;
};

struct HyperEnsemble {
  std::vector<HyperNetwork> networks;  ///< the picked ones, problem by problem
  Trained trained;                     ///< [networks]
};

[[nodiscard]] HyperEnsemble search_ensembles(const HyperDeepEnsembleSpec& spec, const Cohort& cohort, Engine& engine,
                                             const Progress& progress);

/// The plan that trains `networks`; `rows` holds the training rows of every problem.
[[nodiscard]] engine::TrainPlan hyper_plan(const HyperDeepEnsembleSpec& spec, const Cohort& rows,
                                           const std::vector<HyperNetwork>& networks);

inline constexpr const char* hyper_where = "models/hyper_deep_ensemble";

}  // namespace nomu
