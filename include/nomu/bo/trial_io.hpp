#pragma once
/// Trials as text: points and trials as JSON, all trials as a table, and results that are read from lines of JSON.

#include <string>
#include <string_view>
#include <vector>

#include "nomu/bo/study.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {

/// {"n":3,"solver":"cg","x":0.5}; without inactive variables.
[[nodiscard]] std::string point_to_json(const Space& space, const Point& point);

/// The inverse; values may also be given as strings. Throws DataError for unknown, missing and invalid values.
[[nodiscard]] Point point_from_json(const Space& space, std::string_view json);

/// One line with everything about a trial: id, point, state, origin, asked, and value, reason, told, lease_until and
/// worker where there are any. Bytes that are not UTF-8, which old files may contain, are replaced.
[[nodiscard]] std::string trial_to_json(const Space& space, const Trial& trial);

/// "x=0.5 n=3 solver=cg"
[[nodiscard]] std::string point_text(const Space& space, const Point& point);

/// Columns trial, state, one for each variable, value, cost (if any was told) and reason. Where a variable has one of
/// these names, it is the other column that gets a trailing "_".
[[nodiscard]] Table trials_table(const Space& space, const std::vector<Trial>& trials);

/// The results in a table with a column for each variable and one for the value; other columns are ignored. Rows
/// without a value are left out. `cost_column` has what the results cost, where that is known; empty: of a table that
/// `trials_table` made, its own. So has the value, if a variable is called like its column. Throws DataError naming the
/// cell, or the column that is missing.
[[nodiscard]] std::vector<TrialResult> results_from_table(const Space& space, const Table& table,
                                                          std::string_view value_column = "value",
                                                          std::string_view cost_column = "");

/// The result in one line of JSON: {"id": 3, "value": 0.5}, {"id": 4, "failed": "reason"} or
/// {"point": {...}, "value": 0.5}; a value may come with a "cost". Throws DataError.
[[nodiscard]] TrialResult result_from_json(const Space& space, std::string_view line);

}  // namespace nomu
