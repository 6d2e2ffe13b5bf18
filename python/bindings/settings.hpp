#pragma once
/// Settings of a spec as (name, text) pairs, the way `--set name=text` gives them.

#include <string>
#include <utility>
#include <vector>

#include "nomu/core/config.hpp"

namespace nomu::python {

using Settings = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] inline std::vector<Setting> as_settings(const Settings& settings) {
  std::vector<Setting> list;
  for (const auto& [name, text] : settings) list.push_back({.name = name, .value = text});
  return list;
}

[[nodiscard]] inline Settings listed(const Fields& fields) {
  Settings all;
  for (const Field& field : fields.list()) all.emplace_back(field.name, to_text(field.get()));
  return all;
}

}  // namespace nomu::python
