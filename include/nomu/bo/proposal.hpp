#pragma once
/// From fitted models to the next points: maximises the acquisition over the space, for one run or for many in lock
/// step, taking pending, failed and known points into account.

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
  std::int64_t local_starts = 0;  ///< number of DIRECT's best points that are refined by gradient steps
  std::int64_t local_steps = 30;  ///< gradient steps of each
  std::int64_t enumerate = 4096;  ///< finite spaces of up to this many points are searched exhaustively
  // How the work is done; does not change the proposals.
  std::int64_t threads = 1;  ///< number of runs the host works on at the same time
  bool look_ahead = false;   ///< try several doublings of c in one batch: fewer, larger batches, but some are wasted
};

/// What one run knows besides its model. All inputs are those of `Space::to_inputs`.
struct RunKnowledge {
  double c = 1.0;
  double best = 0.0;                  ///< largest target, on the scale of the model
  double worst = 0.0;                 ///< smallest target; a failure counts as this
  double delta = 0.0;                 ///< distance that Dynamic c considers too close at this step
  bool repeats = false;               ///< evaluations are noisy, so known points may be proposed again
  bool exclude_known = true;          ///< never propose a known point
  std::vector<double> finished = {};  ///< [n][inputs]
  std::vector<double> pending = {};   ///< [k][inputs]; sigma is reduced near them, as their results will reduce it
  std::vector<double> failed = {};    ///< [f][inputs]
  /// A model of one member that predicts 1 for success and -1 for failure; it reduces the acquisition. Null: no
  /// failures.
  std::shared_ptr<const FittedCohort> success = {};
  std::uint64_t seed = 0;  ///< seed of the random feasible points that are searched in spaces with constraints
};

struct Proposal {
  Point point = {};  ///< empty if every feasible point is known, or none was found
  double c = 0.0;    ///< after Dynamic c
  std::int64_t doublings = 0;
  double value = -std::numeric_limits<double>::infinity();  ///< value of the acquisition
};

/// One proposal for each member of the cohort; `runs` is [M]. Throws Cancelled when a stop is requested.
[[nodiscard]] std::vector<Proposal> propose(const FittedCohort& models, const Space& space,
                                            std::span<const RunKnowledge> runs, const ProposalSpec& spec,
                                            const Progress& progress = {});

/// The acquisition of a run at inputs with the given prediction, including the effects of pending points and of the
/// probability of success.
[[nodiscard]] double weighted_acquisition(AcquisitionKind kind, const RunKnowledge& run, double c,
                                          std::span<const double> inputs, double mean, double sigma,
                                          double success = 1.0);

}  // namespace nomu
