#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "data/table_io";

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

/// Splits text into records of cells and counts lines; the delimiter may be set after the first record is found.
class RecordReader {
 public:
  RecordReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  /// Skips blank lines and comments to the next record; false at the end of the text.
  bool find_record();
  /// Reads the record that was found; one string per cell.
  void read_record(std::vector<std::string>& cells);
  /// The most frequent delimiter, outside quotes, in the record that was found.
  [[nodiscard]] char guess_delimiter() const;

  void set_delimiter(char delimiter) { delimiter_ = delimiter; }
  void set_header(const std::vector<std::string>& header) { header_ = header; }
  [[nodiscard]] std::size_t line() const { return record_line_; }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] bool at_blank() const {
    return !at_end() && text_[at_] != delimiter_ && (text_[at_] == ' ' || text_[at_] == '\t');
  }
  [[nodiscard]] bool at_cell_end() const { return at_end() || text_[at_] == delimiter_ || is_line_end(text_[at_]); }
  void skip_blanks() {
    while (at_blank()) ++at_;
  }
  void end_line();
  void read_plain(std::string& cell);
  void read_quoted(std::string& cell, std::size_t column);
  [[noreturn]] void fail(std::size_t line, std::size_t column, std::string_view message) const;

  std::string_view text_;
  std::string_view name_;
  char delimiter_ = ',';
  std::vector<std::string> header_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 0;
};

void RecordReader::fail(std::size_t line, std::size_t column, std::string_view message) const {
  const std::string label =
      column < header_.size() ? fmt::format("'{}'", header_[column]) : fmt::format("{}", column + 1);
  throw DataError(where, fmt::format("{}, row {}, column {}: {}", name_, line, label, message));
}

/// Skips one line ending: LF, CR LF or CR.
void RecordReader::end_line() {
  if (at_end()) return;
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++line_;
}

bool RecordReader::find_record() {
  while (!at_end()) {
    const std::size_t start = at_;
    skip_blanks();
    if (!at_end() && text_[at_] == '#') {
      while (!at_end() && !is_line_end(text_[at_])) ++at_;
    }
    if (!at_end() && !is_line_end(text_[at_])) {
      at_ = start;
      record_line_ = line_;
      return true;
    }
    end_line();
  }
  return false;
}

void RecordReader::read_record(std::vector<std::string>& cells) {
  cells.clear();
  for (;;) {
    cells.emplace_back();
    skip_blanks();
    if (!at_end() && text_[at_] == '"') {
      read_quoted(cells.back(), cells.size() - 1);
    } else {
      read_plain(cells.back());
    }
    if (at_end() || text_[at_] != delimiter_) break;
    ++at_;
  }
  end_line();
}

void RecordReader::read_plain(std::string& cell) {
  const std::size_t begin = at_;
  while (!at_cell_end()) ++at_;
  std::size_t end = at_;
  while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
  cell = text_.substr(begin, end - begin);
}

void RecordReader::read_quoted(std::string& cell, std::size_t column) {
  const std::size_t opened = line_;
  for (++at_;; ++at_) {
    if (at_end()) {
      fail(opened, column,
           fmt::format("the quote opened on line {} is never closed; add the closing quote, or double a "
                       "quote that belongs to the text",
                       opened));
    }
    if (text_[at_] == '"') {
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
      ++at_;
    } else if (text_[at_] == '\n' || (text_[at_] == '\r' && (at_ + 1 >= text_.size() || text_[at_ + 1] != '\n'))) {
      ++line_;
    }
    cell += text_[at_];
  }
  ++at_;
  skip_blanks();
  if (!at_cell_end()) {
    fail(line_, column,
         "text follows the closing quote; put the whole cell inside the quotes and double any quotes in it");
  }
}

char RecordReader::guess_delimiter() const {
  constexpr std::array<char, 3> candidates = {'\t', ';', ','};
  std::array<std::size_t, 3> count{};
  bool quoted = false;
  bool cell_start = true;
  for (std::size_t i = at_; i < text_.size() && (quoted || !is_line_end(text_[i])); ++i) {
    const char c = text_[i];
    if (c == '"' && (quoted || cell_start)) {
      quoted = !quoted;
    } else if (!quoted) {
      const auto* found = std::ranges::find(candidates, c);
      if (found != candidates.end()) ++count[static_cast<std::size_t>(found - candidates.begin())];
      cell_start = found != candidates.end() || (cell_start && c == ' ');
    }
  }
  // On a tie the comma loses, because names contain commas more often than tabs or semicolons.
  const auto* most = std::ranges::max_element(count);
  return *most == 0 ? ',' : candidates[static_cast<std::size_t>(most - count.begin())];
}

void check_delimiter(char delimiter) {
  const bool letter_or_digit = (delimiter >= '0' && delimiter <= '9') || (delimiter >= 'a' && delimiter <= 'z') ||
                               (delimiter >= 'A' && delimiter <= 'Z');
  if (letter_or_digit || std::string_view("\"#\r\n +-.").find(delimiter) != std::string_view::npos) {
    throw ConfigError(where, fmt::format("'{}' cannot separate cells; use a comma, tab, semicolon or bar",
                                         is_line_end(delimiter) ? std::string("line end") : std::string(1, delimiter)));
  }
}

void check_text(std::string_view text, std::string_view name) {
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
  throw DataError(where, fmt::format("{}, row {}: found a zero byte, so this is not a text table (a spreadsheet or "
                                     "UTF-16 file?); save it as CSV in UTF-8",
                                     name, line));
}

void check_header(const std::vector<std::string>& header, std::string_view name, std::size_t line) {
  std::map<std::string_view, std::size_t> seen;
  bool all_numbers = true;
  bool any_fraction = false;
  for (std::size_t j = 0; j < header.size(); ++j) {
    if (header[j].empty()) {
      throw DataError(where,
                      fmt::format("{}, row {}, column {}: the header gives this column no name; name or remove it (an "
                                  "unnamed index column?)",
                                  name, line, j + 1));
    }
    const auto [earlier, is_new] = seen.emplace(header[j], j);
    if (!is_new) {
      throw DataError(where,
                      fmt::format("{}, row {}, column '{}': the name appears twice in the header (columns {} and {}); "
                                  "rename one",
                                  name, line, header[j], earlier->second + 1, j + 1));
    }
    all_numbers = all_numbers && read_cell(header[j]).kind == CellKind::number;
    any_fraction = any_fraction || header[j].find_first_of(".eE-") != std::string::npos;
  }
  // Whole numbers are common generated names; decimals are data, and one row of them would be lost silently.
  if (all_numbers && any_fraction) {
    throw DataError(where,
                    fmt::format("{}, row {}, column '{}': the first row holds numbers where column names are expected; "
                                "add a header line",
                                name, line, header[0]));
  }
}

void check_width(const std::vector<std::string>& cells, const std::vector<std::string>& header, std::string_view name,
                 std::size_t line) {
  if (cells.size() == header.size()) return;
  const bool too_few = cells.size() < header.size();
  const std::string detail =
      too_few ? fmt::format("nothing for column '{}'", header[cells.size()])
              : fmt::format("'{}' is beyond the last column '{}'", cells[header.size()], header.back());
  throw DataError(
      where, fmt::format("{}, row {}: expected {} cells as in the header, but found {} ({}); {}", name, line,
                         header.size(), cells.size(), detail,
                         too_few ? "leave a cell empty to mark it missing" : "quote cells that contain the delimiter"));
}

}  // namespace

Table parse_table(std::string_view text, std::string name, const TableOptions& options) {
  if (options.delimiter != '\0') check_delimiter(options.delimiter);
  check_text(text, name);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);

  RecordReader reader(text, name);
  if (!reader.find_record()) {
    throw DataError(where, fmt::format("{}: the file is empty; expected a header line and rows of data", name));
  }
  reader.set_delimiter(options.delimiter == '\0' ? reader.guess_delimiter() : options.delimiter);
  std::vector<std::string> header;
  reader.read_record(header);
  check_header(header, name, reader.line());
  reader.set_header(header);

  std::vector<Column> columns;
  columns.reserve(header.size());
  for (const std::string& column : header) columns.emplace_back(column);
  std::vector<std::size_t> lines;
  std::vector<std::string> cells;
  while (reader.find_record()) {
    reader.read_record(cells);
    check_width(cells, header, name, reader.line());
    for (std::size_t j = 0; j < cells.size(); ++j) columns[j].push_back(cells[j]);
    lines.push_back(reader.line());
  }
  if (lines.empty()) {
    throw DataError(where, fmt::format("{}, row {}: the file has a header but no rows of data", name, reader.line()));
  }
  return {std::move(name), std::move(columns), std::move(lines)};
}

}  // namespace nomu
