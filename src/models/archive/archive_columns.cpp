#include "models/archive/archive_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text/json_numbers.hpp"
#include "data/dates.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> kind_names = {"number", "names", "boolean", "date"};

[[noreturn]] void refuse(const std::string& what) { throw DataError("models/archive", what); }

ColumnKind kind_named(const std::string& name) {
  const auto found = std::ranges::find_if(kind_names, [&](const char* known) { return name == known; });
  if (found == kind_names.end()) refuse(fmt::format("this version does not know columns of kind '{}'", name));
  return static_cast<ColumnKind>(found - kind_names.begin());
}

/// The flags of a column by name, to be written and read alike.
template <class Visit>
void each_flag(Visit visit) {
  visit("unknown", &FeatureColumn::unknown);
  visit("missing", &FeatureColumn::missing);
  visit("seasons", &FeatureColumn::seasons);
  visit("weekdays", &FeatureColumn::weekdays);
  visit("daytimes", &FeatureColumn::daytimes);
}

void check_column(const FeatureColumn& column) {
  const bool names = column.kind == ColumnKind::names;
  const bool sorted = std::ranges::is_sorted(column.levels) && std::ranges::is_sorted(column.missing_words) &&
                      std::ranges::is_sorted(column.grouped);
  const bool parts = column.seasons || column.weekdays || column.daytimes;
  const bool date = column.kind == ColumnKind::date;
  const bool right = names != column.levels.empty() && (names || !column.unknown) &&
                     (column.unknown || column.grouped.empty()) && (date || !parts) &&
                     (!column.stand_in || std::isfinite(*column.stand_in)) &&
                     (!column.stand_in || !date || (first_day <= *column.stand_in && *column.stand_in <= last_day));
  if (!sorted || !right) refuse(fmt::format("the description of column '{}' is impossible", column.name));
}

FeatureColumn read_column(const json& facts) {
  FeatureColumn column{.name = facts.at("name"), .levels = facts.at("levels").get<std::vector<std::string>>()};
  if (!column.levels.empty()) column.kind = ColumnKind::names;
  if (!facts.contains("kind")) return column;
  column.kind = kind_named(facts.at("kind"));
  each_flag([&](const char* name, bool FeatureColumn::*flag) { column.*flag = facts.value(name, false); });
  if (facts.contains("stand_in")) column.stand_in = facts.at("stand_in").get<double>();
  if (facts.contains("missing_words")) column.missing_words = facts.at("missing_words").get<std::vector<std::string>>();
  if (facts.contains("grouped")) column.grouped = facts.at("grouped").get<std::vector<std::string>>();
  return column;
}

/// JSON has no infinity; null stands for it.
json limit_json(double limit) { return std::isinf(limit) ? json() : json(limit); }

double read_limit(const json& limit, double otherwise) { return limit.is_null() ? otherwise : limit.get<double>(); }

}  // namespace

json columns_json(std::span<const FeatureColumn> columns) {
  json list = json::array();
  for (const FeatureColumn& column : columns) {
    json facts{{"name", column.name},
               {"levels", column.levels},
               {"kind", kind_names.at(static_cast<std::size_t>(column.kind))}};
    each_flag([&](const char* name, bool FeatureColumn::*flag) {
      if (column.*flag) facts[name] = true;
    });
    if (column.stand_in) facts["stand_in"] = *column.stand_in;
    if (!column.missing_words.empty()) facts["missing_words"] = column.missing_words;
    if (!column.grouped.empty()) facts["grouped"] = column.grouped;
    list.push_back(std::move(facts));
  }
  return list;
}

std::vector<FeatureColumn> read_columns(const json& list) {
  std::vector<FeatureColumn> columns;
  for (const json& facts : list) {
    columns.push_back(read_column(facts));
    check_column(columns.back());
  }
  return columns;
}

void add_table_facts(const DataSet& data, json& facts) {
  const DatasetReport& report = data.report;
  if (!data.range.unlimited()) facts["range"] = {limit_json(data.range.low), limit_json(data.range.high)};
  if (!report.unlabelled_lines.empty()) facts["unlabelled_lines"] = report.unlabelled_lines;
  for (const MissingCells& missing : report.missing_cells)
    facts["missing_cells"].push_back({{"column", missing.column}, {"cells", missing.cells}});
  for (const ColumnNote& note : report.notes) facts["notes"].push_back({{"column", note.column}, {"text", note.text}});
}

void read_table_facts(const json& facts, DataSet& data) {
  DatasetReport& report = data.report;
  if (facts.contains("range")) {
    data.range = {.low = read_limit(facts.at("range").at(0), -TargetRange::infinity),
                  .high = read_limit(facts.at("range").at(1), TargetRange::infinity)};
    if (!(data.range.low < data.range.high)) refuse("the range of the target is empty");
  }
  if (facts.contains("unlabelled_lines")) report.unlabelled_lines = whole_numbers(facts.at("unlabelled_lines"));
  if (facts.contains("missing_cells")) {
    for (const json& missing : facts.at("missing_cells"))
      report.missing_cells.push_back({.column = missing.at("column"), .cells = whole_number(missing.at("cells"))});
  }
  if (!facts.contains("notes")) return;
  for (const json& note : facts.at("notes"))
    report.notes.push_back({.column = note.at("column"), .text = note.at("text")});
}

}  // namespace nomu
