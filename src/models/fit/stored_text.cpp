#include "models/fit/stored_text.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/text/utf8.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/printable.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::size_t shown_bytes = 200;

std::string shown(std::string_view text) { return printable(made_utf8(text), shown_bytes); }

void check_name(std::string_view name) {
  if (is_utf8(name)) return;
  throw DataError(where, fmt::format("the name '{}' is not UTF-8 text; save the table as UTF-8", shown(name)));
}

void check_cell(std::string_view column, std::string_view cell) {
  if (is_utf8(cell)) return;
  throw DataError(where, fmt::format("column '{}': '{}' is not UTF-8 text; save the table as UTF-8, or leave the "
                                     "column out",
                                     shown(column), shown(cell)));
}

}  // namespace

void check_stored_text(const DataSet& data) {
  for (const std::string& name : data.input_names) check_name(name);
  for (const std::string& name : {data.target_name, data.noise_name, data.strata_name}) check_name(name);
  for (const FeatureColumn& feature : data.features) {
    check_name(feature.name);
    for (const std::string& level : feature.levels) check_cell(feature.name, level);
    for (const std::string& word : feature.missing_words) check_cell(feature.name, word);
  }
  for (const std::string& name : data.report.constant_columns) check_name(name);
  for (const MissingCells& missing : data.report.missing_cells) check_name(missing.column);
  for (const ColumnNote& note : data.report.notes) {
    check_name(note.column);
    check_cell(note.column, note.text);
  }
  check_stored_strata(data);
}

void check_stored_strata(const DataSet& data) {
  check_name(data.strata_name);
  for (const std::string& stratum : data.strata) check_cell(data.strata_name, stratum);
}

}  // namespace nomu
