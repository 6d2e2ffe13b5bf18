#pragma once
/// How columns of text become inputs: what their cells are, and the values of given rows. Every error names file, row
/// and column.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/data/dataset.hpp"

namespace nomu::encoding {

[[nodiscard]] bool contains(std::span<const std::string> names, std::string_view name);
[[nodiscard]] const Column& column_of(const Table& table, std::string_view name);
[[noreturn]] void fail_at(const Table& table, std::size_t row, std::string_view column, std::string_view message);

/// The numbers of a column at `rows`; `role` says in messages what the column is for.
[[nodiscard]] std::vector<double> numbers_of(const Table& table, std::string_view name,
                                             std::span<const std::size_t> rows, std::string_view role);

/// The same. Throws DataError if one of them is negative.
[[nodiscard]] std::vector<double> nonnegative_numbers_of(const Table& table, std::string_view name,
                                                         std::span<const std::size_t> rows, std::string_view role);

/// Points in time at `rows`: numbers, or ISO dates ("2024-05-17", "2024-05-17T09:30"), which become their rank.
[[nodiscard]] std::vector<double> times_of(const Table& table, std::string_view name,
                                           std::span<const std::size_t> rows);

/// "-", "unknown", "n.a.": words that people write for a missing number or date.
[[nodiscard]] bool is_missing_word(std::string_view cell);

/// 1 for true and yes, 0 for false and no, in upper or lower case; empty for other texts.
[[nodiscard]] std::optional<double> read_boolean(std::string_view cell);

/// Whether the cell counts as missing in this column; `kind` is what `read_cell` says of it.
[[nodiscard]] bool is_missing(const FeatureColumn& feature, std::string_view cell, CellKind kind);
[[nodiscard]] inline bool is_missing(const FeatureColumn& feature, std::string_view cell) {
  return is_missing(feature, cell, read_cell(cell).kind);
}

/// "6,229" or "-0,5e3".
[[nodiscard]] bool has_decimal_comma(std::string_view cell);

/// Decides how a column becomes inputs, by the rules of docs/tables.md. Empty if it is left out; the report says why,
/// and how many cells are missing.
[[nodiscard]] std::optional<FeatureColumn> classify_column(const Table& table, const std::string& name,
                                                           std::span<const std::size_t> rows,
                                                           const DatasetOptions& options, DatasetReport& report);

/// The same for the inputs of an existing network: numbers or names, nothing else.
[[nodiscard]] FeatureColumn classify_fixed_column(const Table& table, const std::string& name,
                                                  std::span<const std::size_t> rows, const DatasetOptions& options);

/// Rows encoded as in `features`.
[[nodiscard]] EncodedRows encode_rows(const Table& table, std::span<const FeatureColumn> features,
                                      std::span<const std::size_t> rows);

/// The median; of an even number of values, the mean of the middle two. At least one value is needed.
[[nodiscard]] double median_of(std::vector<double> values);

}  // namespace nomu::encoding
