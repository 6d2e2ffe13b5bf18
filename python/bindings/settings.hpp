#pragma once
/// Settings of a spec as (name, text) pairs, the way `--set name=text` gives them.

#include <string>
#include <utility>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu::python {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline void set_all(const Fields& fields, const Settings& settings) {
  for (const auto& [name, text] : settings) fields.set_text(name, text);
}

[[nodiscard]] inline Settings listed(const Fields& fields) {
  Settings all;
  for (const Field& field : fields.list()) all.emplace_back(field.name, to_text(field.get()));
  return all;
}

}  // namespace nomu::python
