#pragma once
/// From fitted models to the next points: the acquisition is maximised over the space for one run or for many in lock
/// step, pending points, failures and points that are known already taken into account.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nomu/bo/acquisition.hpp"
#include "nomu/bo/direct.hpp"
#include "nomu/bo/space.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

struct ProposalSpec {
  AcquisitionKind kind = AcquisitionKind::upper_bound;
  DirectSpec direct = {};
  DynamicC dynamic = {};
  std::int64_t local_starts = 0;  ///< best points of the search that are refined by gradients; 0: none
  std::int64_t local_steps = 30;
  std::int64_t enumerate = 4096;  ///< finite spaces of so many points at most are looked at as a whole
  // How the work is done; changes no proposal.
  std::int64_t threads = 1;  ///< runs that the host looks after at the same time
  bool look_ahead = false;   ///< several doublings of c in common batches: fewer, larger ones, some for nothing
};

/// What one run knows besides its model. All inputs are as `Space::to_inputs` gives them.
struct RunKnowledge {
  double c = 1.0;
  double best = 0.0;                  ///< largest target, on the model's scale
  double worst = 0.0;                 ///< smallest one: what a failure counts as
  double delta = 0.0;                 ///< of Dynamic c at this step
  bool repeats = false;               ///< evaluations are noisy: known points are neither boring nor excluded
  bool exclude_known = true;          ///< a point that is known exactly is never proposed
  std::vector<double> finished = {};  ///< [n][inputs]
  std::vector<double> pending = {};   ///< [k][inputs]: sigma shrinks near them, as it will once they are data
  std::vector<double> failed = {};    ///< [f][inputs]
  /// Of one member, 1 where points have results and -1 where they fail: weighs the acquisition down. Null: none fails.
  std::shared_ptr<const FittedCohort> success = {};
  std::uint64_t seed = 0;  ///< of feasible points that the search of a space with constraints looks at besides its own
};

struct Proposal {
  Point point = {};  ///< empty: every feasible point is known already, or none was found
  double c = 0.0;    ///< after Dynamic c
  std::int64_t doublings = 0;
  double value = -std::numeric_limits<double>::infinity();  ///< of the acquisition
};

/// One proposal for each member of the cohort; `runs` is [M]. Throws Cancelled on request.
[[nodiscard]] std::vector<Proposal> propose(const FittedCohort& models, const Space& space,
                                            std::span<const RunKnowledge> runs, const ProposalSpec& spec,
                                            const Progress& progress = {});

/// The acquisition of a run at inputs whose prediction is given, pending points and the chance of success included.
[[nodiscard]] double weighed_acquisition(AcquisitionKind kind, const RunKnowledge& run, double c,
                                         std::span<const double> inputs, double mean, double sigma,
                                         double success = 1.0);

}  // namespace nomu
