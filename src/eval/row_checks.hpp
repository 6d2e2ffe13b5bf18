#pragma once
/// Checks shared by everything that is computed row by row. Each error names the row, counted from 0, so that it can be
/// found in the user's table.

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "nomu/core/error.hpp"

namespace nomu {

/// Throws DataError unless there is a row and every value is finite.
inline void require_finite(std::string_view where, std::string_view what, std::span<const double> values) {
  if (values.empty()) throw DataError(where, fmt::format("no rows: the {} is empty", what));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw DataError(where,
                      fmt::format("the {} of row {} (counted from 0) is {}; it must be finite", what, i, values[i]));
    }
  }
}

/// Throws DataError unless the values are one finite number per row.
inline void require_rows(std::string_view where, std::string_view what, std::span<const double> values,
                         std::size_t rows) {
  if (values.size() != rows) {
    throw DataError(where, fmt::format("{} {} values given for {} rows; give one per row", values.size(), what, rows));
  }
  require_finite(where, what, values);
}

/// Throws DataError unless every value is finite and not negative.
inline void require_not_negative(std::string_view where, std::string_view what, std::span<const double> values) {
  require_finite(where, what, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0.0) {
      throw DataError(
          where, fmt::format("the {} of row {} (counted from 0) is {}; it must not be negative", what, i, values[i]));
    }
  }
}

/// Throws DataError unless every value is finite and above 0.
inline void require_positive(std::string_view where, std::string_view what, std::span<const double> values) {
  require_not_negative(where, what, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0.0) {
      throw DataError(
          where, fmt::format("the {} of row {} (counted from 0) is 0, which claims certainty; it needs a floor above 0",
                             what, i));
    }
  }
}

/// Throws ConfigError unless the level lies inside (0, 1); also for NaN.
inline void require_level(std::string_view where, double level) {
  if (!(level > 0.0 && level < 1.0)) {
    throw ConfigError(where, fmt::format("level must be in (0, 1), got {}", level));
  }
}

}  // namespace nomu
