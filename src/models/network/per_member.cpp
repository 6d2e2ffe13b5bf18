#include "models/network/per_member.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "core/team.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

void per_member(std::size_t members, std::int64_t threads, std::string_view stage, const Progress& progress,
                const std::function<void(std::size_t)>& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::atomic<std::int64_t> done{0};
  const std::thread::id caller = std::this_thread::get_id();
  side_by_side(members, threads, [&](std::size_t m) {
    if (progress.stop.stop_requested()) throw Cancelled("models", "stopped on request");
    work(m);
    const std::int64_t count = ++done;
    if (std::this_thread::get_id() != caller || !progress.report) return;
    progress.report({.stage = stage,
                     .done = count,
                     .total = static_cast<std::int64_t>(members),
                     .seconds = std::chrono::duration<double>(Clock::now() - begin).count()});
  });
}

}  // namespace nomu
