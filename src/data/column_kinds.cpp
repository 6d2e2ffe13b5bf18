#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "data/dates.hpp"
#include "data/did_you_mean.hpp"
#include "data/encoding.hpp"

namespace nomu::encoding {
namespace {

constexpr std::size_t rows_for_own_input = 5;     ///< of a name, in a column with too many of them
constexpr std::size_t rows_to_see_identity = 20;  ///< fewer names that are all different may be different by chance
constexpr double mostly_numbers = 0.95;
constexpr std::size_t numbers_to_trust = 20;

/// What the cells of a column are.
struct Cells {
  std::size_t missing = 0;
  std::size_t numbers = 0;
  std::size_t dates = 0;
  std::map<std::string_view, std::size_t> texts;  ///< cells that are neither missing nor numbers, and how often
  std::size_t text_count = 0;
  std::size_t first_text = 0;  ///< row of the first of them

  [[nodiscard]] std::size_t given() const { return numbers + text_count; }
};

Cells count_cells(const Table& table, const Column& column, std::span<const std::size_t> rows) {
  Cells cells;
  for (const std::size_t i : rows) {
    const std::string_view cell = column[i];
    const CellKind kind = read_cell(cell).kind;
    if (kind == CellKind::infinite) fail_at(table, i, column.name(), fmt::format("'{}' is not a finite number", cell));
    if (kind == CellKind::missing) {
      ++cells.missing;
    } else if (kind == CellKind::number) {
      ++cells.numbers;
    } else {
      if (cells.text_count++ == 0) cells.first_text = i;
      ++cells.texts[cell];
      if (read_date(cell)) ++cells.dates;
    }
  }
  return cells;
}

std::vector<std::string> texts_of(const Cells& cells) {
  std::vector<std::string> texts;
  for (const auto& [text, count] : cells.texts) texts.emplace_back(text);
  return texts;
}

/// Whether a text is a number with signs around or between its digits: $1,234.50, 45 %.
bool looks_like_amount(std::string_view text) {
  std::string digits;
  for (const char sign : text) {
    const bool plain = (sign >= '0' && sign <= '9') || sign == '.' || sign == '-' || sign == '+';
    const bool letter = (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
    if (plain || letter) digits += sign;
  }
  return digits.size() < text.size() && read_cell(digits).kind == CellKind::number;
}

/// Whether a text is a date in another order than ISO's: 05/17/2024, 17.5.24.
bool looks_like_other_date(std::string_view text) {
  const std::string_view day = text.substr(0, text.find(' '));
  const auto count = [&](char sign) { return std::ranges::count(day, sign); };
  return day.find_first_not_of("0123456789/.") == std::string_view::npos && day.size() >= 6 &&
         (count('/') == 2) != (count('.') == 2);
}

/// What a user can do about a column of such cells; empty if nothing comes to mind.
std::string hint_for(std::string_view cell) {
  if (looks_like_other_date(cell))
    return fmt::format("; '{}' looks like a date: write dates like 2024-05-17", as_shown(cell));
  if (looks_like_amount(cell))
    return fmt::format("; '{}' looks like a number: write numbers without signs, like 1234.5", as_shown(cell));
  return {};
}

/// Decides how one column becomes inputs.
class Classifier {
 public:
  Classifier(const Table& table, const std::string& name, std::span<const std::size_t> rows,
             const DatasetOptions& options, DatasetReport& report)
      : table_(table), column_(column_of(table, name)), rows_(rows), options_(options), report_(report) {
    feature_.name = name;
  }

  std::optional<FeatureColumn> classify() {
    if (contains(options_.categorical, feature_.name)) return as_names();
    const Cells cells = count_cells(table_, column_, rows_);
    if (cells.given() == 0) return left_out("is empty in every row");
    if (cells.text_count == 0) return as_numbers(ColumnKind::number);
    const auto words = [&](auto is_one) {
      return std::ranges::all_of(cells.texts, [&](const auto& text) { return is_one(text.first); });
    };
    refuse_decimal_commas(cells);
    if (2 * cells.dates >= cells.given()) return as_dates(cells);
    if (cells.numbers == 0) {
      const bool truth = words([](std::string_view text) { return read_boolean(text).has_value(); });
      return truth ? as_numbers(ColumnKind::boolean) : as_names();
    }
    if (words(is_missing_word)) return as_numbers_with_words(cells);
    if (are_mostly_numbers(cells) || are_no_useful_names(cells)) {
      feature_.missing_words = texts_of(cells);
      return as_numbers_with_words(cells);
    }
    note(fmt::format("mixes numbers with texts such as '{}', so its cells are read as names; correct them, or call "
                     "the column categorical",
                     as_shown(column_[cells.first_text])),
         ColumnNote::Kind::mixed_cells);
    return as_names();
  }

 private:
  void note(const std::string& text, ColumnNote::Kind kind = ColumnNote::Kind::other) {
    report_.notes.push_back(
        {.column = feature_.name, .text = fmt::format("column '{}' {}", as_shown(feature_.name), text), .kind = kind});
  }

  std::optional<FeatureColumn> left_out(const std::string& why) {
    note(why + " and is left out");
    return {};
  }

  static bool are_mostly_numbers(const Cells& cells) {
    return cells.numbers >= numbers_to_trust &&
           static_cast<double>(cells.numbers) >= mostly_numbers * static_cast<double>(cells.given());
  }

  /// Numbers with many values among texts: as names they would be left out or grouped, which loses more than the texts.
  [[nodiscard]] bool are_no_useful_names(const Cells& cells) const {
    if (2 * cells.numbers < cells.given()) return false;
    std::set<std::string_view> distinct;
    for (const std::size_t i : rows_) {
      if (read_cell(column_[i]).kind != CellKind::missing) distinct.insert(column_[i]);
    }
    return distinct.size() > options_.max_levels || looks_like_id(distinct.size(), cells.given());
  }

  [[nodiscard]] bool looks_like_id(std::size_t names, std::size_t given) const {
    const bool all_different = names == given && given >= rows_to_see_identity;
    return all_different || (names > options_.max_levels && 2 * names > given);
  }

  void count_missing() {
    std::size_t missing = 0;
    for (const std::size_t i : rows_) missing += is_missing(feature_, column_[i]) ? 1 : 0;
    feature_.missing = missing > 0;
    if (missing > 0) report_.missing_cells.push_back({.column = feature_.name, .cells = missing});
  }

  void refuse_decimal_commas(const Cells& cells) const {
    for (const auto& [text, count] : cells.texts) {
      if (!has_decimal_comma(text)) continue;
      const auto first = std::ranges::find_if(rows_, [&, &text = text](std::size_t i) { return column_[i] == text; });
      fail_at(table_, *first, feature_.name,
              fmt::format("'{}' looks like a number with a decimal comma; use a decimal point, or call the column "
                          "categorical ({}) if these are names",
                          text, options_.words.categorical));
    }
  }

  /// The numbers, days or truth values of the cells that are not missing.
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> values;
    for (const std::size_t i : rows_) {
      const std::string_view cell = column_[i];
      const CellValue value = read_cell(cell);
      if (is_missing(feature_, cell, value.kind)) continue;
      switch (feature_.kind) {
        case ColumnKind::boolean: values.push_back(*read_boolean(cell)); break;
        case ColumnKind::date: values.push_back(read_date(cell)->day); break;
        default: values.push_back(value.number);
      }
    }
    return values;
  }

  std::optional<FeatureColumn> as_numbers(ColumnKind kind) {
    feature_.kind = kind;
    feature_.stand_in = 0.0;  // from now on words for missing cells count as such
    count_missing();
    feature_.stand_in = median_of(values());
    if (kind == ColumnKind::boolean) feature_.stand_in = std::floor(*feature_.stand_in);
    return feature_;
  }

  std::optional<FeatureColumn> as_numbers_with_words(const Cells& cells) {
    note(fmt::format("has numbers in {} cells and {} in {}, which count as missing; call the column categorical "
                     "if its cells are names",
                     cells.numbers, quoted_list(texts_of(cells), 5), cells.text_count),
         ColumnNote::Kind::mixed_cells);
    return as_numbers(ColumnKind::number);
  }

  std::optional<FeatureColumn> as_dates(const Cells& cells) {
    for (const std::size_t i : rows_) {
      const std::string_view cell = column_[i];
      if (read_cell(cell).kind == CellKind::missing || is_missing_word(cell) || read_date(cell)) continue;
      fail_at(table_, i, feature_.name,
              fmt::format("'{}' is not a date like 2024-05-17 or 2024-05-17T09:30, but {} of {} cells of this column "
                          "are; correct it, call the column categorical ({}), or leave it out ({})",
                          cell, cells.dates, cells.given(), options_.words.categorical, options_.words.ignore));
    }
    choose_parts();
    return as_numbers(ColumnKind::date);
  }

  /// Parts of a date that repeat within the rows, and are not the same in all of them.
  void choose_parts() {
    std::set<double> times;
    std::set<unsigned> weekdays;
    std::set<int> days_of_month;
    double first = 0.0;
    double last = 0.0;
    bool any = false;
    for (const std::size_t i : rows_) {
      const std::optional<Instant> instant = read_date(column_[i]);
      if (!instant) continue;
      first = any ? std::min(first, instant->day) : instant->day;
      last = any ? std::max(last, instant->day) : instant->day;
      any = true;
      const double day = std::floor(instant->local);
      if (times.size() < 2) times.insert(instant->local - day);
      const std::chrono::sys_days date{std::chrono::days(static_cast<int>(day))};
      weekdays.insert(std::chrono::weekday(date).c_encoding());
      days_of_month.insert(static_cast<int>(static_cast<unsigned>(std::chrono::year_month_day(date).day())));
    }
    const double span = last - first;
    feature_.seasons = span > 366.0;
    // Monthly or quarterly rows fall on a weekday by accident.
    feature_.weekdays = span >= 14.0 && weekdays.size() >= 4 && days_of_month.size() >= 8;
    feature_.daytimes = span >= 2.0 && times.size() >= 2;
  }

  std::optional<FeatureColumn> as_names() {
    feature_.kind = ColumnKind::names;
    std::map<std::string_view, std::size_t> counts;
    std::size_t given = 0;
    for (const std::size_t i : rows_) {
      if (read_cell(column_[i]).kind == CellKind::missing) continue;
      ++counts[column_[i]];
      ++given;
    }
    if (counts.empty()) return left_out("is empty in every row");
    const bool wanted = contains(options_.categorical, feature_.name);
    if (!wanted && looks_like_id(counts.size(), given)) {
      note(fmt::format("has {} different names in {} rows, like a row id, and is left out{}", counts.size(), given,
                       hint_for(counts.begin()->first)));
      return {};
    }
    if (counts.size() > options_.max_levels) {
      keep_frequent(counts, given);
      if (feature_.levels.empty())
        return left_out(fmt::format("has {} names, none of them in {} rows,", counts.size(), rows_for_own_input));
    } else {
      for (const auto& [name, count] : counts) feature_.levels.emplace_back(name);
    }
    feature_.unknown = true;
    count_missing();
    return feature_;
  }

  void keep_frequent(const std::map<std::string_view, std::size_t>& counts, std::size_t given) {
    std::vector<std::pair<std::string_view, std::size_t>> order(counts.begin(), counts.end());
    std::ranges::stable_sort(order, std::greater<>{}, [](const auto& entry) { return entry.second; });
    std::size_t covered = 0;
    for (const auto& [name, count] : order) {
      if (feature_.levels.size() + 1 >= options_.max_levels || count < rows_for_own_input) break;
      feature_.levels.emplace_back(name);
      covered += count;
    }
    if (feature_.levels.empty()) return;
    for (const auto& [name, count] : std::span(order).subspan(feature_.levels.size()))
      feature_.grouped.emplace_back(name);
    std::ranges::sort(feature_.levels);
    std::ranges::sort(feature_.grouped);
    note(
        fmt::format("has {} names: the {} most frequent have inputs of their own, the others, in {} of {} rows, share "
                    "one",
                    counts.size(), feature_.levels.size(), given - covered, given));
  }

  const Table& table_;
  const Column& column_;
  std::span<const std::size_t> rows_;
  const DatasetOptions& options_;
  DatasetReport& report_;
  FeatureColumn feature_;
};

}  // namespace

std::optional<FeatureColumn> classify_column(const Table& table, const std::string& name,
                                             std::span<const std::size_t> rows, const DatasetOptions& options,
                                             DatasetReport& report) {
  return Classifier(table, name, rows, options, report).classify();
}

}  // namespace nomu::encoding
