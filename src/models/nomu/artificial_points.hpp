#pragma once
// Turns an augmentation spec into what the engine draws artificial points from.

#include <cstdint>

#include "engine/plan.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/augmentation.hpp"

namespace nomu {

/// Throws ConfigError for counts that do not fit, DataError where given points are missing or of another width.
[[nodiscard]] engine::Augment artificial_points(const Augmentation& spec, const Cohort& cohort);

/// `count` points for each member, [M][count][d], drawn once from what `augment` draws from at every step.
[[nodiscard]] Tensor<float> draw_points(const engine::Augment& augment, const Cohort& cohort, std::size_t count);

}  // namespace nomu
