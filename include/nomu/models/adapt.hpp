#pragma once
/// Bounds of a model that are updated as results come in, for rows in order of time that may drift away from those the
/// model learned from.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nomu/eval/adaptive.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// Adaptive bounds that start from the errors of the rows that the model's calibration learned from. Throws ConfigError
/// if there are none.
[[nodiscard]] AdaptiveBounds adaptive_bounds(const Model& model, const AdaptiveSpec& spec = {});

/// Rows x [q][d] as `AdaptiveBounds` takes them, [q]. Throws like `Model::predict`.
[[nodiscard]] std::vector<PredictedRow> adaptive_rows(const Model& model, std::span<const double> x,
                                                      std::span<const double> noise = {});

/// A table predicted with bounds that adapt.
struct AdaptedTable {
  Table table;              ///< as from `predict_table`
  std::size_t results = 0;  ///< rows whose target was known
  std::size_t within = 0;   ///< those of them within the bounds that were given before
  std::string guarantee;
};

/// `predict_table` of rows in order of time, of which the earlier ones have results: the bounds of a row use the
/// targets of the rows before it. Cells of the target may be missing, as they are in future rows. Throws DataError
/// naming row and column of a target that is not a number, and like `predict_table`.
[[nodiscard]] AdaptedTable predict_adapting(const Model& model, const Table& rows, double level);

}  // namespace nomu
