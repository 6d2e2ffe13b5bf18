#pragma once
/// Named columns as Python hands them in: arrays of numbers or lists of texts, each [n].

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu::python {

using Columns = std::vector<std::pair<std::string, std::variant<Numbers, std::vector<std::string>>>>;

/// Throws DataError where lengths differ or names repeat.
[[nodiscard]] Table table_of(const Columns& columns);

}  // namespace nomu::python
