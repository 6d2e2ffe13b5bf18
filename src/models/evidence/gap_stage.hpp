#pragma once
// Gaps made on purpose: networks that have not seen a whole region of the rows tell how errors grow with the distance
// from the data. Rows left out at random cannot, because they are among others.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/evidence/rows/folded_rows.hpp"
#include "models/evidence/sigma_shape.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

/// One split for each gap: its test part is a region, the nearest rows around one that is drawn, and a few rows from
/// everywhere else, which are listed in `usual`. No row is in two test parts, and rows with equal inputs stay together.
/// Where there are too few distinct inputs for that, the parts are drawn at random and hold no gap.
struct MadeGaps {
  std::vector<Split> folds;
  std::vector<std::vector<std::size_t>> usual;
};

[[nodiscard]] MadeGaps made_gaps(const DataSet& scaled, std::size_t count, std::uint64_t seed);

/// The rows inside each gap of each member. `penalties` [member] are those of the mean networks, `noise`
/// [member][row] is the noise of unseen rows. Of many rows a sample is enough.
[[nodiscard]] std::vector<std::vector<JudgedRows>> rows_in_gaps(const NomuSpec& spec,
                                                                std::span<const FoldedRows> members,
                                                                std::span<const double> penalties,
                                                                std::span<const std::vector<double>> noise, bool trend,
                                                                Engine& engine, const Progress& progress);

}  // namespace nomu
