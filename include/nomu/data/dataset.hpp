#pragma once
/// One regression problem in the user's units: inputs, targets and what is known about each row. It is made from plain
/// vectors, or from a table, whose text columns become indicator inputs.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "nomu/data/table_io.hpp"

namespace nomu {

/// How one column of a table becomes inputs; kept with the data so that later tables are encoded the same way.
struct FeatureColumn {
  std::string name;
  std::vector<std::string> levels;  ///< sorted; one indicator input each. Empty: the column is one numeric input.

  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

/// What happened while a table became a data set.
struct DatasetReport {
  std::vector<std::size_t> dropped_lines;  ///< lines of the file left out because a cell is missing
  std::vector<std::string>
      constant_columns;  ///< inputs with the same value in every row: kept, but they carry no information
};

/// n rows of d inputs with one target each. Every number is finite.
struct DataSet {
  std::vector<double> inputs;            ///< [n][d]
  std::vector<double> targets;           ///< [n]
  std::vector<double> row_weight;        ///< [n], not negative; empty: 1 each
  std::vector<double> noise;             ///< [n], known standard deviation of each target; empty: unknown
  std::vector<std::string> groups;       ///< [n], a split keeps the rows of a group together; empty: none
  std::vector<double> times;             ///< [n], increasing with time; empty: unknown
  std::vector<std::string> input_names;  ///< [d]
  std::string target_name = "y";
  std::string noise_name;               ///< column `noise` came from; empty: given in memory, or none
  std::vector<FeatureColumn> features;  ///< the columns the inputs came from
  DatasetReport report;

  [[nodiscard]] std::size_t rows() const { return targets.size(); }
  [[nodiscard]] std::size_t cols() const { return input_names.size(); }
  /// One row of the inputs, [d].
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span<const double>(inputs).subspan(i * cols(), cols());
  }
};

/// The role of each column of a table.
struct DatasetOptions {
  std::string target = {};                    ///< column to predict
  std::vector<std::string> features = {};     ///< input columns, in this order; empty: all without another role
  std::vector<std::string> categorical = {};  ///< inputs whose cells are names even if they look like numbers
  std::vector<std::string> ignore = {};       ///< columns left out of the default inputs (row ids, groups, times)
  std::string weight = {};                    ///< column of row weights; empty: none
  std::string noise = {};                     ///< column of known standard deviations; empty: none
  std::string group = {};                     ///< column of groups, not an input by default; empty: none
  std::string time = {};                      ///< column of numbers or ISO dates, not an input by default; empty: none
  bool drop_missing = false;                  ///< drop rows with a missing cell instead of throwing
  std::size_t min_rows = 4;                   ///< fewest rows accepted
  std::size_t max_levels = 64;                ///< most distinct names accepted in a text column
};

/// A data set from a table. A column of names becomes one 0/1 input per name. Throws DataError naming file, row and
/// column for unknown columns, no inputs, a target that is not numeric, missing or constant, a column that mixes
/// numbers and names, too many names, too few rows, and negative weights or noise.
[[nodiscard]] DataSet make_dataset(const Table& table, const DatasetOptions& options);

/// A data set from another table, with its inputs encoded as in `features`, to evaluate a model on. The options about
/// inputs are ignored and the target may be constant. Throws DataError as above, and for names not in `features`.
[[nodiscard]] DataSet make_dataset(const Table& table, std::span<const FeatureColumn> features,
                                   const DatasetOptions& options);

/// `make_dataset` of the table in a file.
[[nodiscard]] DataSet read_dataset(const std::filesystem::path& path, const DatasetOptions& options);

/// A data set from plain vectors: inputs [n][cols] row by row and targets [n]; inputs are named x1, x2, ... Throws
/// DataError when the sizes do not match or a number is not finite.
[[nodiscard]] DataSet make_dataset(std::vector<double> inputs, std::size_t cols, std::vector<double> targets);

/// The same with names for the inputs, one for each column.
[[nodiscard]] DataSet make_dataset(std::vector<double> inputs, std::vector<std::string> names,
                                   std::vector<double> targets);

/// Throws DataError unless sizes match, all numbers are finite, and weights and noise are not negative.
void check_dataset(const DataSet& data);

/// The rows of the table without a missing cell in `columns`. Throws DataError for an unknown column.
[[nodiscard]] Table complete_rows(const Table& table, std::span<const std::string> columns);

/// The inputs of another table, [q][d], encoded as in `features`; its other columns are ignored. Throws DataError
/// naming row and column of missing cells, text where numbers belong, and names not in `features`.
[[nodiscard]] std::vector<double> encode_inputs(const Table& table, std::span<const FeatureColumn> features);

/// The rows with these indices, in this order; indices may repeat. Throws DataError when one is out of range.
[[nodiscard]] DataSet subset(const DataSet& data, std::span<const std::size_t> rows);

}  // namespace nomu
