#include "models/network/per_member.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "core/team.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

void per_member(std::size_t members, std::int64_t threads, std::string_view stage, const Progress& progress,
                const std::function<void(std::size_t)>& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::atomic<std::int64_t> done{0};
  Team team(std::min(members, static_cast<std::size_t>(std::max<std::int64_t>(threads, 1))));
  team.run(members, [&](std::size_t m, std::size_t worker) {
    if (progress.stop.stop_requested()) throw Cancelled("models", "stopped on request");
    work(m);
    const std::int64_t count = ++done;
    if (worker != 0 || !progress.report) return;  // the caller is worker 0
    progress.report({.stage = stage,
                     .done = count,
                     .total = static_cast<std::int64_t>(members),
                     .seconds = std::chrono::duration<double>(Clock::now() - begin).count()});
  });
}

}  // namespace nomu
