#pragma once
/// How `auto` lets the rows of a table decide what no fixed rule can: penalties, noise and the shape of sigma are
/// chosen by how well they predict rows that the predicting networks have not seen. docs/decisions/0014-evidence.md has
/// the design and what was tried.

#include <cstdint>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu {

struct EvidenceSpec {
  enum class Use {
    automatic,  ///< for NOMU with learned noise, unless its penalty l2 or the size of its ensemble is given
    yes,
    no
  };
  Use use = Use::automatic;
  std::int64_t folds = 5;  ///< networks of each kind, each trained without one part of the rows
  /// Candidates for l2, given per row of a batch: each is multiplied by (rows of a batch) / (rows).
  std::vector<double> penalties = {0.03, 0.3, 1.0, 3.0, 10.0, 30.0};
  std::vector<double> noise_penalties = {0.3, 3.0, 30.0};  ///< candidates for l2_noise, given in the same way
  std::int64_t kept = 2;                                   ///< number of candidates that are mixed into the model
  std::int64_t steps = 8;         ///< additional inputs for each number: steps between its quantiles; 0: none
  bool trend = true;              ///< the networks learn the residuals of a linear model
  bool warp = true;               ///< skewed and heavy-tailed targets may be learned on another scale
  double sigma_far = 1.5;         ///< sigma_model far from the data, in standard deviations of the target
  double effort = 1.0;            ///< factor on the number of training steps
  std::int64_t most_rows = 6000;  ///< largest number of rows on which candidates are compared
};

/// The settings of `spec`, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(EvidenceSpec& spec);

}  // namespace nomu
