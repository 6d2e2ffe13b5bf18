#pragma once
// Independent work per member on the host, several members at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "nomu/core/progress.hpp"

namespace nomu {

/// Calls work(m) for m = 0, ..., members - 1 from up to `threads` threads and rethrows what one of them threw; throws
/// Cancelled once a stop is requested. The order of the calls is not fixed, so each must write its results to its own
/// place.
void per_member(std::size_t members, std::int64_t threads, std::string_view stage, const Progress& progress,
                const std::function<void(std::size_t)>& work);

}  // namespace nomu
