#include "data/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "data/dates.hpp"
#include "data/did_you_mean.hpp"
#include "nomu/core/error.hpp"

namespace nomu::encoding {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// The inputs of one column, [rows][inputs of the column] within [rows][cols].
class ColumnEncoder {
 public:
  ColumnEncoder(const Table& table, const FeatureColumn& feature, std::size_t first, std::size_t cols, EncodedRows& out)
      : table_(table),
        feature_(feature),
        column_(column_of(table, feature.name)),
        first_(first),
        cols_(cols),
        missing_at_(input_count(feature) - 1),
        out_(out) {}

  /// Writes row `i` of the output from row `row` of the table.
  void encode(std::size_t row, std::size_t i) {
    const std::string_view cell = column_[row];
    const std::span<double> at = std::span(out_.inputs).subspan(i * cols_ + first_, input_count(feature_));
    const CellValue value = read_cell(cell);
    if (is_missing(feature_, cell, value.kind)) return write_missing(row, i, at);
    switch (feature_.kind) {
      case ColumnKind::names: return write_name(row, i, cell, at);
      case ColumnKind::number: return write_number(row, cell, value, at);
      case ColumnKind::boolean: return write_boolean(i, cell, value, at);
      case ColumnKind::date: return write_date(row, cell, at);
    }
  }

 private:
  void write_missing(std::size_t row, std::size_t i, std::span<double> at) {
    const bool names = feature_.kind == ColumnKind::names;
    if (names ? !feature_.unknown && !feature_.missing : !feature_.stand_in) {
      fail_at(table_, row, feature_.name, "the value is missing, and the model has no input for that; fill it in");
    }
    if (feature_.missing) {
      at[missing_at_] = 1.0;
    } else {
      out_.unfamiliar[i] = true;
    }
    if (!names) {
      write_numbers({.day = *feature_.stand_in, .local = *feature_.stand_in}, at);
    } else if (!feature_.missing) {
      at[feature_.levels.size()] = 1.0;
    }
  }

  void write_name(std::size_t row, std::size_t i, std::string_view cell, std::span<double> at) {
    const auto found = std::ranges::lower_bound(feature_.levels, cell);
    if (found != feature_.levels.end() && *found == cell) {
      at[static_cast<std::size_t>(found - feature_.levels.begin())] = 1.0;
    } else if (feature_.unknown) {
      at[feature_.levels.size()] = 1.0;
      // Where rare names share this input, its value alone does not say that a row is outside.
      if (!feature_.grouped.empty() && !std::ranges::binary_search(feature_.grouped, cell)) out_.unfamiliar[i] = true;
    } else {
      fail_at(table_, row, feature_.name,
              fmt::format("'{}' is not one of the names the model was trained on{} (known: {})", cell,
                          did_you_mean(cell, feature_.levels), quoted_list(feature_.levels, 10)));
    }
  }

  void write_number(std::size_t row, std::string_view cell, const CellValue& value, std::span<double> at) const {
    if (value.kind != CellKind::number) {
      fail_at(table_, row, feature_.name,
              fmt::format("'{}' is not a {}number; an input must be numeric", cell,
                          value.kind == CellKind::infinite ? "finite " : ""));
    }
    at[0] = value.number;
  }

  void write_boolean(std::size_t i, std::string_view cell, const CellValue& value, std::span<double> at) {
    const bool digit = value.kind == CellKind::number && (value.number == 0.0 || value.number == 1.0);
    const std::optional<double> read = digit ? value.number : read_boolean(cell);
    if (!read) out_.unfamiliar[i] = true;
    at[0] = read.value_or(feature_.stand_in.value_or(0.0));
  }

  void write_date(std::size_t row, std::string_view cell, std::span<double> at) const {
    const std::optional<Instant> instant = read_date(cell);
    if (!instant) {
      fail_at(table_, row, feature_.name,
              fmt::format("'{}' is not a date like 2024-05-17 or 2024-05-17T09:30, as this column has", cell));
    }
    write_numbers(*instant, at);
  }

  /// A number is an instant without parts.
  void write_numbers(const Instant& instant, std::span<double> at) const {
    at[0] = instant.day;
    std::size_t next = 1;
    const auto add = [&](bool present, std::array<double, 2> (*part)(double)) {
      if (!present) return;
      for (const double value : part(instant.local)) at[next++] = value;
    };
    add(feature_.seasons, season_of);
    add(feature_.weekdays, weekday_of);
    add(feature_.daytimes, daytime_of);
  }

  const Table& table_;
  const FeatureColumn& feature_;
  const Column& column_;
  std::size_t first_;
  std::size_t cols_;
  std::size_t missing_at_;
  EncodedRows& out_;
};

}  // namespace

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const Column& column_of(const Table& table, std::string_view name) {
  return table.columns()[column_index(table, name)];
}

void fail_at(const Table& table, std::size_t row, std::string_view column, std::string_view message) {
  throw DataError("data/dataset", fmt::format("{}: {}", cell_location(table, row, column), message));
}

std::vector<double> numbers_of(const Table& table, std::string_view name, std::span<const std::size_t> rows,
                               std::string_view role) {
  const Column& column = column_of(table, name);
  std::vector<double> numbers;
  numbers.reserve(rows.size());
  for (const std::size_t i : rows) {
    const CellValue value = read_cell(column[i]);
    if (value.kind != CellKind::number) {
      fail_at(table, i, name,
              fmt::format("'{}' is not a {}number; {} must be numeric", column[i],
                          value.kind == CellKind::infinite ? "finite " : "", role));
    }
    numbers.push_back(value.number);
  }
  return numbers;
}

std::vector<double> nonnegative_numbers_of(const Table& table, std::string_view name, std::span<const std::size_t> rows,
                                           std::string_view role) {
  std::vector<double> numbers = numbers_of(table, name, rows, role);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (numbers[i] < 0.0)
      fail_at(table, rows[i], name, fmt::format("{} is negative; {} must not be", numbers[i], role));
  }
  return numbers;
}

bool is_missing_word(std::string_view cell) {
  constexpr std::array<std::string_view, 15> words = {"-",       "--",      "---",           ".",    "..",
                                                      "n.a.",    "n.d.",    "#n/a",          "<na>", "none",
                                                      "missing", "unknown", "not available", "nat",  "nil"};
  return std::ranges::any_of(words, [&](std::string_view word) { return equals_ignoring_case(cell, word); });
}

std::optional<double> read_boolean(std::string_view cell) {
  for (const std::string_view word : {"true", "yes"}) {
    if (equals_ignoring_case(cell, word)) return 1.0;
  }
  for (const std::string_view word : {"false", "no"}) {
    if (equals_ignoring_case(cell, word)) return 0.0;
  }
  return {};
}

bool is_missing(const FeatureColumn& feature, std::string_view cell, CellKind kind) {
  if (kind == CellKind::missing) return true;
  if (feature.kind == ColumnKind::names || !feature.stand_in) return false;
  if (kind != CellKind::number && is_missing_word(cell)) return true;
  return std::ranges::binary_search(feature.missing_words, cell);
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || comma + 1 == cell.size()) return false;
  std::string pointed(cell);
  pointed[comma] = '.';
  return read_cell(pointed).kind == CellKind::number;
}

std::vector<double> times_of(const Table& table, std::string_view name, std::span<const std::size_t> rows) {
  const Column& column = column_of(table, name);
  const bool dates = std::ranges::any_of(rows, [&](std::size_t i) { return looks_like_date(column[i]); });
  if (!dates) return numbers_of(table, name, rows, "a time");
  // Texts with offsets do not sort by time; ranks, because only the order counts.
  std::vector<double> instants;
  for (const std::size_t i : rows) {
    const std::optional<Instant> instant = read_date(column[i]);
    if (!instant) {
      fail_at(table, i, name,
              fmt::format("'{}' is not a date like 2024-05-17 or 2024-05-17T09:30, but other cells of this column are",
                          column[i]));
    }
    instants.push_back(instant->day);
  }
  std::vector<double> sorted = instants;
  std::ranges::sort(sorted);
  std::vector<double> times;
  times.reserve(instants.size());
  for (const double instant : instants)
    times.push_back(static_cast<double>(std::ranges::lower_bound(sorted, instant) - sorted.begin()));
  return times;
}

EncodedRows encode_rows(const Table& table, std::span<const FeatureColumn> features,
                        std::span<const std::size_t> rows) {
  std::size_t cols = 0;
  for (const FeatureColumn& feature : features) cols += input_count(feature);
  EncodedRows out{.inputs = std::vector<double>(rows.size() * cols, 0.0),
                  .unfamiliar = std::vector<bool>(rows.size(), false)};
  std::size_t first = 0;
  for (const FeatureColumn& feature : features) {
    ColumnEncoder encoder(table, feature, first, cols, out);
    for (std::size_t i = 0; i < rows.size(); ++i) encoder.encode(rows[i], i);
    first += input_count(feature);
  }
  return out;
}

}  // namespace nomu::encoding
