#pragma once
// How much less is known where a number lies beyond those of the training rows, from how the mean changes inside them.

#include <span>
#include <vector>

#include "models/evidence/mean_stage.hpp"
#include "models/inputs/beyond_range.hpp"

namespace nomu {

/// The range of every member, with the average and the deviation of the mean's slopes by every number. `front` are the
/// parameters of the networks (member, fold, kept candidate) whose first output is the mean; `most` [member].
[[nodiscard]] std::vector<BeyondRange> ranges_of(std::span<const FoldedRows> members, std::span<const Chosen> chosen,
                                                 std::span<const Trend> trends, std::span<const double> most,
                                                 const engine::Networks& networks, const Tensor<float>& front,
                                                 Engine& engine);

/// Scales slopes and bends down as far as errors of unseen rows beyond the range of their own fold ask for.
/// `errors` and `noise` [row].
void heed_errors(BeyondRange& range, const FoldedRows& member, const std::vector<double>& errors,
                 const std::vector<double>& noise);

/// What rows beyond the range of their own fold's training rows add to the deviation, [row]; 0 for rows not judged.
[[nodiscard]] std::vector<double> beyond_folds(const FoldedRows& member, const BeyondRange& range);

/// As NetworkParts::beyond.
[[nodiscard]] Tensor<float> stored(std::span<const BeyondRange> ranges);

}  // namespace nomu
