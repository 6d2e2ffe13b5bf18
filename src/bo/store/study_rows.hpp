#pragma once
// Reading rows of the table of trials.

#include <cstdint>

#include "bo/store/database.hpp"
#include "nomu/bo/trial.hpp"

namespace nomu {

/// Selects the columns that `read_trial` expects; a condition may follow.
inline constexpr const char* trial_columns =
    "SELECT id, state, point, value, reason, origin, worker, lease, asked, told FROM trials ";

[[nodiscard]] Trial read_trial(const Statement& row);

/// The number that the statement selects; 0 if it selects no row.
[[nodiscard]] std::int64_t number_of(Statement statement);

/// Seconds since 1970.
[[nodiscard]] double seconds_now();

}  // namespace nomu
