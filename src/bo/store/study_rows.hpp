#pragma once
// How rows of the table of trials are read, for the sources that do.

#include <cstdint>

#include "bo/store/database.hpp"
#include "nomu/bo/study.hpp"

namespace nomu {

/// What `read_trial` reads, up to the end of FROM.
inline constexpr const char* trial_columns =
    "SELECT id, state, point, value, reason, origin, worker, lease, asked, told FROM trials ";

[[nodiscard]] Trial read_trial(const Statement& row);

/// The one number that the statement gives; 0 where it gives none.
[[nodiscard]] std::int64_t number_of(Statement statement);

/// Seconds since 1970.
[[nodiscard]] double seconds_now();

}  // namespace nomu
