#pragma once
// What the weights of rows mean to a fit: only their ratios count, and a row of weight 0 does not exist.

#include <cstddef>
#include <span>
#include <vector>

#include "nomu/data/dataset.hpp"

namespace nomu {

/// Which rows have a weight above 0, in order.
[[nodiscard]] std::vector<std::size_t> counting_rows(std::span<const double> weights);

/// Says in the notes of the data that so many rows of weight 0 were left out, if any.
void note_weightless_rows(DataSet& data, std::size_t count);

/// The rows as a fit sees them: without those of weight 0, and with weights whose mean is 1. Weights that are all equal
/// are dropped, so that they change nothing at all. Doing it twice is the same as once. Throws like `check_dataset`.
[[nodiscard]] DataSet weighed_rows(const DataSet& data);

}  // namespace nomu
