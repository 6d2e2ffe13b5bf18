#pragma once
// Values of missing cells in columns that have no missing cells in training.

#include "nomu/data/dataset.hpp"

namespace nomu {

/// Gives each column of numbers without a stand-in the median of its rows.
void add_stand_ins(DataSet& data);

}  // namespace nomu
