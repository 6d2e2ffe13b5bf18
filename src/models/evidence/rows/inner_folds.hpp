#pragma once
// The parts into which evidence divides the rows of one data set.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nomu/data/dataset.hpp"
#include "nomu/data/split.hpp"

namespace nomu {

/// At most `folds` splits whose test parts partition the rows: whole groups if there are groups, stretches of time if
/// there are times, and otherwise at random. Rows with the same inputs stay together, so that no network is judged by a
/// row it has seen.
[[nodiscard]] std::vector<Split> inner_folds(const DataSet& data, std::size_t folds, std::uint64_t seed);

/// The same parts, but each network learns from one part only and is tested on the next: all rows are still learned
/// from and tested once, and a network holds a fraction of them.
[[nodiscard]] std::vector<Split> one_part_each(std::vector<Split> folds);

/// The unseen rows by which candidates are judged. All of them, but with times a row appears once for each part of the
/// others that lies before its own: the earliest part is only predicted from later rows, which no new row ever is.
[[nodiscard]] std::vector<std::size_t> judging_rows(const DataSet& data, std::span<const Split> folds);

/// How much a row counts.
[[nodiscard]] inline double weight_at(const DataSet& data, std::size_t i) {
  return data.row_weight.empty() ? 1.0 : data.row_weight[i];
}

/// The values of these rows.
[[nodiscard]] std::vector<double> values_at(std::span<const double> values, std::span<const std::size_t> rows);

}  // namespace nomu
