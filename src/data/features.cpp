#include <fmt/format.h>

#include "nomu/data/dataset.hpp"

namespace nomu {
namespace {

/// Numbers that a date becomes besides the day.
std::size_t repeating_parts(const FeatureColumn& column) {
  return 2 * (static_cast<std::size_t>(column.seasons) + static_cast<std::size_t>(column.weekdays) +
              static_cast<std::size_t>(column.daytimes));
}

/// Inputs that are numbers.
std::size_t number_count(const FeatureColumn& column) {
  return column.kind == ColumnKind::date ? 1 + repeating_parts(column) : 1;
}

}  // namespace

std::size_t input_count(const FeatureColumn& column) {
  const std::size_t missing = column.missing ? 1 : 0;
  if (column.kind == ColumnKind::names) return column.levels.size() + (column.unknown ? 1 : 0) + missing;
  return number_count(column) + missing;
}

std::vector<std::string> input_names(const FeatureColumn& column) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view part) { names.push_back(fmt::format("{} {}", column.name, part)); };
  if (column.kind == ColumnKind::names) {
    for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
    if (column.unknown) add("unknown");
  } else {
    names.push_back(column.name);
    for (const auto& [part, present] : {std::pair{"season", column.seasons}, std::pair{"week", column.weekdays},
                                        std::pair{"daytime", column.daytimes}}) {
      if (column.kind != ColumnKind::date || !present) continue;
      add(fmt::format("{} sine", part));
      add(fmt::format("{} cosine", part));
    }
  }
  if (column.missing) add("missing");
  return names;
}

std::vector<InputBlock> input_blocks(const DataSet& data) {
  std::vector<InputBlock> blocks;
  std::size_t first = 0;
  const auto add = [&](InputBlock block) {
    block.first = first;
    first += block.size;
    blocks.push_back(block);
  };
  for (const FeatureColumn& column : data.features) {
    if (column.kind == ColumnKind::names) {
      add({.size = input_count(column), .names = true, .unknown = column.unknown, .other = column.levels.size()});
      continue;
    }
    for (std::size_t i = 0; i < number_count(column); ++i) add({.indicator = column.kind == ColumnKind::boolean});
    if (column.missing) add({.indicator = true});
  }
  return blocks;
}

}  // namespace nomu
