#pragma once
// How the inputs of one member are presented to its networks, chosen by how well linear models predict unseen rows.

#include <cstdint>
#include <vector>

#include "models/inputs/embedding.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/data/scaling.hpp"
#include "nomu/data/split.hpp"
#include "nomu/models/evidence.hpp"

namespace nomu {

struct Presentation {
  Scaling inputs;
  std::vector<Step> steps;   ///< as many for all data sets with the same columns
  std::vector<Split> folds;  ///< folds of the rows that decided, at most some ten thousand
  DataSet rows;              ///< those rows: scaled inputs and steps, targets as they are
};

/// The ways that are worth trying, the usual one first. `inputs` is where they start from, fitted to these rows.
[[nodiscard]] std::vector<Presentation> presentations_of(const EvidenceSpec& spec, const DataSet& data,
                                                         const Scaling& inputs, std::uint64_t seed,
                                                         std::int64_t threads);

}  // namespace nomu
