#pragma once
// How much less is known about rows with a name that training did not have: unseen rows are predicted as if their names
// were new, and the increase of their squared errors is what the name was worth.

#include <span>
#include <vector>

#include "models/evidence/mean_stage.hpp"

namespace nomu {

/// [M][1][d]: the variance of the mean where an input is 1 that stands for names training did not have, and 0 for all
/// other inputs. Empty if there is no such input, or none of them adds anything. `front` are the parameters of the
/// networks (member, fold, kept candidate) whose first output is the mean, and `errors` [member][row] theirs at unseen
/// rows.
[[nodiscard]] Tensor<float> variance_of_unknown_names(std::span<const FoldedRows> members,
                                                      std::span<const Chosen> chosen, std::span<const Trend> trends,
                                                      std::span<const std::vector<double>> errors,
                                                      const engine::Networks& networks, const Tensor<float>& front,
                                                      Engine& engine);

}  // namespace nomu
