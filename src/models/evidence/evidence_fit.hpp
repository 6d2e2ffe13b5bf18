#pragma once
// NOMU fitted by evidence: one network for each candidate and fold, all in one cohort. Predictions of unseen rows
// choose among the candidates and determine the noise and the shape of sigma; the networks of all folds are the model.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/drawn_in.hpp"
#include "models/inputs/embedding.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/models/evidence.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

/// One way to present the rows of a member to its networks.
struct EvidenceRows {
  DataSet scaled;                      ///< on the scale of the fit
  std::vector<Step> steps;             ///< further inputs; the same number for all versions of all members
  std::function<double(double)> back;  ///< from there to the units of the target, increasing
  std::vector<double> targets;         ///< in those units
  bool warped = false;                 ///< whether the scale of the fit is another than theirs
  DrawnIn drawn;                       ///< how inputs are drawn in
  std::size_t presentation = 0;        ///< which of the ways to present the inputs; 0: the usual one
};

struct EvidenceFit {
  std::unique_ptr<FittedNetwork> fitted;
  std::vector<std::size_t> versions;  ///< [member], which way of presenting its rows was chosen
};

/// One member for each list of versions, of which the one that predicts unseen rows best becomes the member. The method
/// has all automatic choices made and learns its noise; `ensemble` must be folds times kept.
[[nodiscard]] EvidenceFit fit_by_evidence(const NomuSpec& spec, const EvidenceSpec& evidence,
                                          std::span<const std::vector<EvidenceRows>> members,
                                          std::span<const std::uint64_t> seeds, Engine& engine,
                                          const Progress& progress);

}  // namespace nomu
