#pragma once
// The rows of the solar irradiance experiment, for its tables and figures.

#include <cstdint>

#include "nomu/data/dataset.hpp"
#include "paper/kinds/kind.hpp"

namespace nomu {

/// All years, with inputs and targets scaled to [-1,1]. Five strips of twenty years and a third of the rest, shuffled
/// with the seed, are test rows.
[[nodiscard]] RunData solar_rows(const DataSet& years, std::uint32_t seed);

/// A wave over the same years, for when the data are not available.
[[nodiscard]] DataSet synthetic_years();

}  // namespace nomu
