#include "data/column_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "data/did_you_mean.hpp"
#include "data/encoding.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using encoding::contains;

[[noreturn]] void refuse(const Table& table, const std::string& what) {
  throw DataError("data/dataset", fmt::format("{}: {}", table.source(), what));
}

void check_row_info(const Table& table, const DatasetOptions& options) {
  const std::vector<std::string> row_info = row_info_columns(options);
  for (const std::string& name : row_info) {
    if (name == options.target)
      refuse(table, fmt::format("column '{}' is the target and cannot also be weight, noise, group or time", name));
    if (std::ranges::count(row_info, name) > 1)
      refuse(table,
             fmt::format("column '{}' is given for more than one of weight, noise, group and time; use different "
                         "columns",
                         name));
  }
}

/// The roles of all columns but the inputs.
void check_roles(const Table& table, const DatasetOptions& options) {
  if (options.target.empty())
    refuse(table, fmt::format("no target column given (columns: {})", quoted_list(table.names())));
  (void)column_index(table, options.target);
  for (const std::string& name : options.ignore) (void)column_index(table, name);
  check_row_info(table, options);
  if (options.coverage_by == options.target) {
    refuse(table, fmt::format("column '{}' is the target, so bounds cannot have a level for each of its values ({})",
                              options.target, options.words.coverage_by));
  }
  if (!options.coverage_by.empty()) (void)column_index(table, options.coverage_by);
  if (contains(options.ignore, options.target))
    refuse(table, fmt::format("column '{}' is the target and cannot be ignored", options.target));
}

std::vector<std::string> listed_inputs(const Table& table, const DatasetOptions& options) {
  std::vector<std::string> names;
  for (const std::string& name : options.features) {
    (void)column_index(table, name);
    if (name == options.target)
      refuse(table, fmt::format("column '{}' is the target and cannot also be an input", name));
    if (contains(options.ignore, name))
      refuse(table, fmt::format("column '{}' is listed both as an input and as ignored; remove one", name));
    if (contains(names, name)) refuse(table, fmt::format("input column '{}' is listed twice", name));
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> columns_without_role(const Table& table, const DatasetOptions& options) {
  const std::vector<std::string> row_info = row_info_columns(options);
  std::vector<std::string> names;
  for (const Column& column : table.columns()) {
    const std::string& name = column.name();
    const bool has_role = name == options.target || contains(row_info, name) || contains(options.ignore, name);
    if (!has_role) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> row_info_columns(const DatasetOptions& options) {
  std::vector<std::string> names;
  for (const std::string& name : {options.weight, options.noise, options.group, options.time}) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> input_columns(const Table& table, const DatasetOptions& options) {
  check_roles(table, options);
  std::vector<std::string> names =
      options.features.empty() ? columns_without_role(table, options) : listed_inputs(table, options);
  if (names.empty()) refuse(table, fmt::format("no input columns are left apart from the target '{}'", options.target));
  for (const std::string& name : options.categorical) {
    if (!contains(names, name)) {
      refuse(table, fmt::format("categorical column '{}' is not among the inputs{}", name, did_you_mean(name, names)));
    }
  }
  return names;
}

}  // namespace nomu
