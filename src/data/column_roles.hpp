#pragma once
// Which column of a table is the target, which are inputs, and which describe the rows.

#include <string>
#include <vector>

#include "nomu/data/dataset.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {

/// Columns that describe the rows without being inputs: weight, noise, group, time.
[[nodiscard]] std::vector<std::string> row_info_columns(const DatasetOptions& options);

/// The columns that become inputs, in order. Throws DataError for columns that do not exist, roles that contradict each
/// other, and tables without inputs.
[[nodiscard]] std::vector<std::string> input_columns(const Table& table, const DatasetOptions& options);

}  // namespace nomu
