#pragma once
// Turns an augmentation spec into what the engine draws artificial points from.

#include <cstdint>

#include "engine/plan.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/augmentation.hpp"

namespace nomu {

/// Throws ConfigError for impossible counts, DataError if given points are missing or have the wrong number of columns.
[[nodiscard]] engine::Augment artificial_points(const Augmentation& spec, const Cohort& cohort);

/// `count` points per member, [M][count][d], drawn once from where `augment` draws at every step.
[[nodiscard]] Tensor<float> draw_points(const engine::Augment& augment, const Cohort& cohort, std::size_t count);

}  // namespace nomu
