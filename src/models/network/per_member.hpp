#pragma once
// Work that members do apart from each other on the host, several at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "nomu/core/progress.hpp"

namespace nomu {

/// Calls work(m) for m = 0, ..., members - 1 from up to `threads` threads and throws on what one of them threw;
/// Cancelled once a stop is requested. Results must go to places of their own: the order of the calls is not fixed.
void per_member(std::size_t members, std::int64_t threads, std::string_view stage, const Progress& progress,
                const std::function<void(std::size_t)>& work);

}  // namespace nomu
