#pragma once
// What is known about all targets at once is computed row by row over data sets that must go together.

#include <fmt/format.h>

#include <span>

#include "nomu/core/error.hpp"
#include "nomu/models/targets.hpp"

namespace nomu {

/// Throws DataError unless there is a data set for each model and all of them have as many rows.
inline void check_same_rows(const TargetModels& models, std::span<const DataSet> rows) {
  constexpr std::string_view where = "models/targets";
  if (rows.size() != models.models().size()) throw DataError(where, "there is not one set of rows for each target");
  for (const DataSet& one : rows) {
    if (one.rows() == rows.front().rows()) continue;
    throw DataError(where, fmt::format("{} rows of '{}', but {} of '{}': the targets must belong to the same rows",
                                       rows.front().rows(), rows.front().target_name, one.rows(), one.target_name));
  }
}

}  // namespace nomu
