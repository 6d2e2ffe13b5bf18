#pragma once
/// One regression problem in the user's units: inputs, targets and what is known about each row. It is made from plain
/// vectors, or from a table, whose columns of names, dates and missing cells become numbers (docs/tables.md).

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/data/table_io.hpp"

namespace nomu {

/// What the cells of a column are.
enum class ColumnKind {
  number,
  names,    ///< one indicator input per name
  boolean,  ///< true or false, yes or no: one input, 1 or 0
  date,     ///< days since 1970-01-01, and positions in the year, the week and the day
};

/// How one column of a table becomes inputs; kept with the data so that later tables are encoded the same way. The
/// inputs of a column of names are, in this order, one for each of `levels`, unknown, missing. Those of other columns
/// are the number, or the day and the sine and cosine of season, week and time of day, then missing.
struct FeatureColumn {
  std::string name;
  std::vector<std::string> levels = {};  ///< of names: sorted, those with an indicator of their own
  ColumnKind kind = ColumnKind::number;
  bool unknown = false;                         ///< of names: one more indicator, for all other names
  bool missing = false;                         ///< one more input: 1 where the cell is missing, otherwise 0
  std::optional<double> stand_in = {};          ///< value of a missing cell, except in columns of names; empty: refused
  bool seasons = false;                         ///< of a date: position in the year
  bool weekdays = false;                        ///< of a date: position in the week
  bool daytimes = false;                        ///< of a date: position in the day
  std::vector<std::string> missing_words = {};  ///< texts that count as missing cells, sorted; not of names
  std::vector<std::string> grouped = {};        ///< of names: sorted, rare ones that share the input for all others

  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

/// Number of inputs that the column becomes, at least 1.
[[nodiscard]] std::size_t input_count(const FeatureColumn& column);

/// Their names, such as "site=north".
[[nodiscard]] std::vector<std::string> input_names(const FeatureColumn& column);

/// Missing cells of a column that is an input.
struct MissingCells {
  std::string column;
  std::size_t cells = 0;
  friend bool operator==(const MissingCells&, const MissingCells&) = default;
};

/// Something that a user should know about a column, as a sentence.
struct ColumnNote {
  enum class Kind {
    other,
    mixed_cells  ///< numbers and texts: the user may have to say whether the cells are names
  };
  std::string column;
  std::string text;
  Kind kind = Kind::other;  ///< not kept in model files
  friend bool operator==(const ColumnNote&, const ColumnNote&) = default;
};

/// What happened while a table became a data set.
struct DatasetReport {
  std::vector<std::size_t> dropped_lines;  ///< lines of the file left out because a cell is missing
  std::vector<std::string>
      constant_columns;  ///< inputs with the same value in every row: kept, but they carry no information
  std::vector<std::size_t> unlabelled_lines = {};  ///< lines of the file left out because the target is missing
  std::vector<MissingCells> missing_cells = {};    ///< of the rows that were kept
  std::vector<ColumnNote> notes = {};              ///< columns that were left out or read in an unexpected way
  std::vector<std::size_t> unfamiliar_rows = {};   ///< rows with a name, or a missing cell, that training did not have
  std::vector<std::size_t> weightless_lines = {};  ///< lines of the file left out because their weight is 0
};

/// The values that the target can take. Targets outside are refused; means and bounds outside are moved to the nearest
/// possible value.
struct TargetRange {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = -infinity;
  double high = infinity;

  [[nodiscard]] bool unlimited() const { return low == -infinity && high == infinity; }
  [[nodiscard]] bool contains(double value) const { return value >= low && value <= high; }
  friend bool operator==(const TargetRange&, const TargetRange&) = default;
};

/// n rows of d inputs with one target each. Every number is finite.
struct DataSet {
  std::vector<double> inputs;            ///< [n][d]
  std::vector<double> targets;           ///< [n]
  std::vector<double> row_weight;        ///< [n], not negative; empty: 1 each
  std::vector<double> noise;             ///< [n], known standard deviation of each target; empty: unknown
  std::vector<std::string> groups;       ///< [n], a split keeps the rows of a group together; empty: none
  std::vector<double> times;             ///< [n], increasing with time; empty: unknown
  std::vector<std::string> strata;       ///< [n], names within each of which coverage is wanted; empty: none
  std::vector<std::string> input_names;  ///< [d]
  std::string target_name = "y";
  std::string noise_name;               ///< column `noise` came from; empty: given in memory, or none
  std::string strata_name;              ///< column `strata` came from; empty: given in memory, or none
  std::vector<FeatureColumn> features;  ///< the columns the inputs came from
  TargetRange range = {};
  DatasetReport report = {};

  [[nodiscard]] std::size_t rows() const { return targets.size(); }
  [[nodiscard]] std::size_t cols() const { return input_names.size(); }
  /// One row of the inputs, [d].
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span<const double>(inputs).subspan(i * cols(), cols());
  }
};

/// The inputs that one column of a table becomes, or a part of them that belongs together.
struct InputBlock {
  std::size_t first = 0;
  std::size_t size = 1;
  bool names = false;      ///< exactly one of the inputs is 1, the others are 0
  bool unknown = false;    ///< of names: one of the inputs is for all names that training did not have
  std::size_t other = 0;   ///< which one that is, counted from `first`
  bool indicator = false;  ///< one input that is 0 or 1
  friend bool operator==(const InputBlock&, const InputBlock&) = default;
};

/// The inputs of a data set in blocks, in order and without gaps: a column of names is one block, a number is one, and
/// the indicator of its missing cells is another.
[[nodiscard]] std::vector<InputBlock> input_blocks(const DataSet& data);

/// How messages spell the options below; an interface with other spellings sets its own.
struct OptionNames {
  std::string categorical = "categorical";
  std::string ignore = "ignore";
  std::string drop_missing = "drop_missing";
  std::string range = "range";
  std::string coverage_by = "coverage_by";
};

/// The cells of a column as strata: names within each of which coverage is wanted. Missing cells are one name,
/// "(missing)". Throws DataError if there is no such column.
[[nodiscard]] std::vector<std::string> strata_in(const Table& table, const std::string& column);
/// The name of one cell: its text, or "(missing)" for all that count as missing.
[[nodiscard]] std::string stratum_of(std::string_view cell);

/// The role of each column of a table.
struct DatasetOptions {
  std::string target = {};                    ///< column to predict
  std::vector<std::string> features = {};     ///< input columns, in this order; empty: all without another role
  std::vector<std::string> categorical = {};  ///< inputs whose cells are names even if they look like numbers
  std::vector<std::string> ignore = {};       ///< columns left out of the default inputs (row ids, groups, times)
  std::string weight = {};                    ///< column of row weights; rows of weight 0 are left out; empty: none
  std::string noise = {};                     ///< column of known standard deviations; empty: none
  std::string group = {};                     ///< column of groups, not an input by default; empty: none
  std::string time = {};                      ///< column of numbers or ISO dates, not an input by default; empty: none
  std::string coverage_by = {};               ///< column of `strata`; it may also be an input
  bool drop_missing = false;                  ///< drop rows with a missing cell instead of learning from them
  std::size_t min_rows = 4;                   ///< fewest rows accepted
  std::size_t max_levels = 64;                ///< largest number of names in a column that get an input each
  TargetRange range = {};                     ///< values that the target can take
  /// The inputs are those of an existing network: one for each column of numbers and for each name, nothing else.
  /// Missing cells, mixed columns and unknown names are then errors.
  bool fixed_inputs = false;
  OptionNames words = {};
};

/// A data set from a table, by the rules of docs/tables.md: names, dates, booleans and missing cells become inputs,
/// rows without a target are left out, and the report says what happened. Throws DataError naming file, row and column
/// for unknown columns, no inputs, a target that is not numeric, constant or out of range, broken dates, infinite
/// numbers, too few rows, negative weights or noise, and missing weights, noise, groups or times.
[[nodiscard]] DataSet make_dataset(const Table& table, const DatasetOptions& options);

/// A data set from another table, with its inputs encoded as in `features`, to evaluate a model on. The options about
/// inputs are ignored and the target may be constant. Throws DataError as above and as `encode_inputs`.
[[nodiscard]] DataSet make_dataset(const Table& table, std::span<const FeatureColumn> features,
                                   const DatasetOptions& options);

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

/// The inputs of rows, and which rows hold a name that training did not have, or a missing cell in a column that had
/// none in training.
struct EncodedRows {
  std::vector<double> inputs;    ///< [q][d]
  std::vector<bool> unfamiliar;  ///< [q]
};

/// The rows of another table, encoded as in `features`; its other columns are ignored. Throws DataError naming row and
/// column of text where numbers or dates belong, and of missing cells and names for which `features` have no input.
[[nodiscard]] EncodedRows encode(const Table& table, std::span<const FeatureColumn> features);

/// The inputs alone, [q][d].
[[nodiscard]] std::vector<double> encode_inputs(const Table& table, std::span<const FeatureColumn> features);

/// The rows with these indices, in this order; indices may repeat. Throws DataError when one is out of range.
[[nodiscard]] DataSet subset(const DataSet& data, std::span<const std::size_t> rows);

}  // namespace nomu
