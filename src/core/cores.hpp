#pragma once
// How many processors this process may keep busy.

#include <cstddef>
#include <filesystem>
#include <string>

namespace nomu {

/// Processors that the process may use: those it may run on (taskset, cpusets), or fewer if the control groups it
/// belongs to grant it less time than those have.
[[nodiscard]] std::size_t usable_cores();

/// Processors' worth of time that control groups grant, rounded up, or `unlimited`. `groups` is what
/// /proc/self/cgroup says, and `mounted` where the groups are mounted.
[[nodiscard]] std::size_t granted_cores(const std::string& groups, const std::filesystem::path& mounted);

inline constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

}  // namespace nomu
