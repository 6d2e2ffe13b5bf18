#pragma once
/// How columns of text become inputs: which are numeric, which names become indicators, and the values of given rows.
/// Every error names file, row and column.

#include <cstddef>
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

/// Decides whether a column is numeric. One that mixes numbers and names most likely has a typing error, so it is
/// refused.
[[nodiscard]] FeatureColumn classify_column(const Table& table, const std::string& name,
                                            std::span<const std::size_t> rows, const DatasetOptions& options);

/// Inputs [rows][d], encoded as in `features`.
[[nodiscard]] std::vector<double> encode_rows(const Table& table, std::span<const FeatureColumn> features,
                                              std::span<const std::size_t> rows);

}  // namespace nomu::encoding
