#pragma once
// The rows of the solar irradiance experiment, for its tables and its pictures.

#include <cstdint>

#include "nomu/data/dataset.hpp"
#include "paper/kinds/kind.hpp"

namespace nomu {

/// All years scaled to [-1,1] in both directions; five strips of twenty years and a third of the rest, shuffled by the
/// seed, are test rows.
[[nodiscard]] RunData solar_rows(const DataSet& years, std::uint32_t seed);

/// A wave over the same years, for where the data are not at hand.
[[nodiscard]] DataSet made_years();

}  // namespace nomu
