#pragma once
// Inputs with the same value in every row.

#include "nomu/data/dataset.hpp"

namespace nomu {

/// Adds their names to the report of the data set.
void list_constant_columns(DataSet& data);

}  // namespace nomu
