#pragma once
/// Tables of text cells, read from and written to CSV and TSV files. Cells keep their text, so a column can later
/// become numbers, categories, groups or times, and is written back unchanged.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nomu {

/// One named column. All cells share one buffer, which takes half the memory of one string per cell.
class Column {
 public:
  explicit Column(std::string name = {}) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// The text of a cell; valid until the column changes.
  [[nodiscard]] std::string_view operator[](std::size_t row) const;
  /// A copy of all cells, for example to use as the groups of a split.
  [[nodiscard]] std::vector<std::string> cells() const;
  void push_back(std::string_view cell);

 private:
  std::string name_;
  std::string text_;
  std::vector<std::size_t> ends_;
};

/// Columns of equal length with distinct, non-empty names.
class Table {
 public:
  /// An empty table; `source` is its name in messages.
  explicit Table(std::string source = "table") : source_(std::move(source)) {}

  /// `lines` holds, for each row, the 1-based line of the file on which it begins (empty: made in memory). Throws
  /// DataError when the columns differ in length or share a name.
  Table(std::string source, std::vector<Column> columns, std::vector<std::size_t> lines);

  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] std::size_t rows() const { return columns_.empty() ? 0 : columns_.front().size(); }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool has_column(std::string_view name) const { return find_column(name).has_value(); }
  /// Index of a column; nothing if there is none of that name.
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;
  /// The line of the file on which a row begins; for a table made in memory, row + 1.
  [[nodiscard]] std::size_t line(std::size_t row) const { return lines_.empty() ? row + 1 : lines_[row]; }

  /// Appends a column of text. Throws DataError when the name is empty or taken, or the length is not rows().
  void add_column(std::string name, std::span<const std::string> cells);
  /// Appends a column of numbers in the shortest text that reads back as the same double; NaN becomes a missing cell.
  void add_column(std::string name, std::span<const double> numbers);

 private:
  void append(Column column);

  std::string source_;
  std::vector<Column> columns_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< of columns by name: there may be very many
  std::vector<std::size_t> lines_;
};

/// How to read a table.
struct TableOptions {
  char delimiter = '\0';  ///< between cells; '\0': comma, tab or semicolon, whichever is most frequent in the header
};

/// Reads a CSV or TSV file with a header line: RFC 4180 quotes and either line ending are understood, `#` lines and
/// blank lines skipped, blanks around unquoted cells trimmed. Throws DataError naming file, row (line of the file) and
/// column.
[[nodiscard]] Table read_table(const std::filesystem::path& path, const TableOptions& options = {});

/// The same from memory; messages show `name` as the file.
[[nodiscard]] Table parse_table(std::string_view text, std::string name, const TableOptions& options = {});

/// The table as text, quoted where needed; parse_table reads the same cells back.
[[nodiscard]] std::string format_table(const Table& table, char delimiter = ',');

/// Writes the table, all or nothing (see write_file_atomically): tab-separated when the name ends in .tsv or .tab, else
/// comma-separated. Throws DataError when the file cannot be written.
void write_table(const std::filesystem::path& path, const Table& table);

/// What a cell holds.
enum class CellKind {
  number,
  missing,   ///< empty, NA, N/A, NaN, null or ?, in upper or lower case
  infinite,  ///< inf, infinity, or digits too large or too small for a double
  text,
};

/// A classified cell; `number` is meaningful for CellKind::number only.
struct CellValue {
  CellKind kind = CellKind::missing;
  double number = 0.0;
};

/// Classifies a cell, independently of the locale: a number must fill the whole cell and be decimal (no hexadecimal, no
/// digit grouping).
[[nodiscard]] CellValue read_cell(std::string_view cell);

/// The shortest text that reads back as the same double; empty for NaN.
[[nodiscard]] std::string format_number(double number);

/// Index of a column. Throws DataError with the nearest name and the list of columns when there is no such column.
[[nodiscard]] std::size_t column_index(const Table& table, std::string_view name);

/// The numbers of a column, [n]. Throws DataError naming the first cell that is text, infinite or missing, and how many
/// there are.
[[nodiscard]] std::vector<double> numeric_column(const Table& table, std::string_view name);

/// How messages refer to a cell: "train.csv, row 7, column 'price'".
[[nodiscard]] std::string cell_location(const Table& table, std::size_t row, std::string_view column);

}  // namespace nomu
