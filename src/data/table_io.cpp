#include "nomu/data/table_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "data/did_you_mean.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "data/table_io";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool is_missing_mark(std::string_view text) {
  constexpr std::array<std::string_view, 6> marks = {"", "na", "n/a", "nan", "null", "?"};
  return std::ranges::any_of(marks, [&](std::string_view mark) { return equals_ignoring_case(text, mark); });
}

bool needs_quotes(std::string_view cell) {
  // All three delimiters, because a reader may have to guess which one is used.
  return cell.find_first_of(",;\t\"\r\n") != std::string_view::npos || cell != trimmed(cell) || cell.starts_with('#') ||
         cell.starts_with(byte_order_mark);
}

void append_cell(std::string& out, std::string_view cell, char delimiter, bool force_quotes) {
  if (!force_quotes && !needs_quotes(cell) && cell.find(delimiter) == std::string_view::npos) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

/// Why a cell is not a usable number, and what to do about it.
std::string explain_bad_cell(CellKind kind, std::string_view cell, std::size_t count, std::size_t rows) {
  if (kind == CellKind::missing) {
    return fmt::format("the value is missing (as in {} of {} cells of this column); fill them in or drop these rows",
                       count, rows);
  }
  if (kind == CellKind::infinite) {
    return fmt::format("'{}' is not a finite number ({} of {} cells of this column are not); correct or remove them",
                       cell, count, rows);
  }
  const bool decimal_comma = cell.find(',') != std::string_view::npos;
  return fmt::format(
      "'{}' is not a number ({} of {} cells of this column are not); {}", cell, count, rows,
      decimal_comma ? "use a decimal point and no thousands separators" : "correct them or use the column as text");
}

}  // namespace

std::string_view Column::operator[](std::size_t row) const {
  const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
  return std::string_view(text_).substr(begin, ends_[row] - begin);
}

std::vector<std::string> Column::cells() const {
  std::vector<std::string> cells;
  cells.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) cells.emplace_back((*this)[i]);
  return cells;
}

void Column::push_back(std::string_view cell) {
  text_ += cell;
  ends_.push_back(text_.size());
}

Table::Table(std::string source, std::vector<Column> columns, std::vector<std::size_t> lines)
    : source_(std::move(source)) {
  for (Column& column : columns) append(std::move(column));
  if (!lines.empty() && lines.size() != rows()) {
    throw DataError(where, fmt::format("{}: {} line numbers given for {} rows", source_, lines.size(), rows()));
  }
  lines_ = std::move(lines);
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name());
  return names;
}

std::optional<std::size_t> Table::find_column(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

void Table::add_column(std::string name, std::span<const std::string> cells) {
  Column column(std::move(name));
  for (const std::string& cell : cells) column.push_back(cell);
  append(std::move(column));
}

void Table::add_column(std::string name, std::span<const double> numbers) {
  Column column(std::move(name));
  for (const double number : numbers) column.push_back(format_number(number));
  append(std::move(column));
}

void Table::append(Column column) {
  if (column.name().empty()) throw DataError(where, fmt::format("{}: a column needs a name", source_));
  if (has_column(column.name())) {
    throw DataError(where,
                    fmt::format("{}: there is already a column '{}'; choose another name", source_, column.name()));
  }
  if (!columns_.empty() && column.size() != rows()) {
    throw DataError(where, fmt::format("{}: column '{}' has {} cells, but the table has {} rows", source_,
                                       column.name(), column.size(), rows()));
  }
  places_.emplace(column.name(), columns_.size());
  columns_.push_back(std::move(column));
}

Table read_table(const std::filesystem::path& path, const TableOptions& options) {
  return parse_table(read_file(path, {.text = true}), path.string(), options);
}

std::string format_table(const Table& table, char delimiter) {
  const std::vector<Column>& columns = table.columns();
  std::string out;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (j > 0) out += delimiter;
    append_cell(out, columns[j].name(), delimiter, false);
  }
  if (!columns.empty()) out += '\n';
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (j > 0) out += delimiter;
      // A lone empty cell would be a blank line, which readers skip.
      append_cell(out, columns[j][i], delimiter, columns.size() == 1 && columns[j][i].empty());
    }
    out += '\n';
  }
  return out;
}

void write_table(const std::filesystem::path& path, const Table& table) {
  const std::string extension = path.extension().string();
  const bool tabs = equals_ignoring_case(extension, ".tsv") || equals_ignoring_case(extension, ".tab");
  write_file_atomically(path, format_table(table, tabs ? '\t' : ','));
}

CellValue read_cell(std::string_view cell) {
  std::string_view text = trimmed(cell);
  if (is_missing_mark(text)) return {.kind = CellKind::missing};
  // from_chars does not accept a plus sign; "+-1" must stay text.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double number = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc::invalid_argument || end != text.data() + text.size()) return {.kind = CellKind::text};
  if (status == std::errc::result_out_of_range || std::isinf(number)) return {.kind = CellKind::infinite};
  // from_chars also accepts "-nan" and "nan(...)".
  if (std::isnan(number)) return {.kind = CellKind::missing};
  return {.kind = CellKind::number, .number = number};
}

std::string format_number(double number) { return std::isnan(number) ? std::string{} : fmt::format("{}", number); }

std::size_t column_index(const Table& table, std::string_view name) {
  if (const std::optional<std::size_t> found = table.find_column(name)) return *found;
  const std::vector<std::string> names = table.names();
  throw DataError(where, fmt::format("{}: unknown column '{}'{} (columns: {})", table.source(), name,
                                     did_you_mean(name, names), quoted_list(names)));
}

std::vector<double> numeric_column(const Table& table, std::string_view name) {
  const Column& column = table.columns()[column_index(table, name)];
  std::vector<double> numbers(column.size());
  std::size_t first = column.size();
  CellKind first_kind = CellKind::number;
  std::size_t count = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const CellValue value = read_cell(column[i]);
    numbers[i] = value.number;
    if (value.kind == CellKind::number) continue;
    // Text is reported before missing cells: it means that the column is not what the user thinks it is.
    if (count == 0 || (value.kind != CellKind::missing && first_kind == CellKind::missing)) {
      first = i;
      first_kind = value.kind;
      count = 0;
    }
    if ((value.kind == CellKind::missing) == (first_kind == CellKind::missing)) ++count;
  }
  if (count == 0) return numbers;
  throw DataError(where, fmt::format("{}: {}", cell_location(table, first, name),
                                     explain_bad_cell(first_kind, column[first], count, column.size())));
}

std::string cell_location(const Table& table, std::size_t row, std::string_view column) {
  return fmt::format("{}, row {}, column '{}'", table.source(), table.line(row), column);
}

}  // namespace nomu
