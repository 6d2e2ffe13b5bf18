#pragma once
// A team of threads. Work is cut into pieces by its shape, never by the number of threads, so it does not matter which
// thread runs a piece.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/crew.hpp"

namespace nomu {

/// A fixed set of threads that work for one caller at a time, who is one of them. A caller that finds the team busy
/// with another thread's job, or that runs in a process forked since the team was made, works alone. Subnormal numbers
/// count as zero in all work, whichever thread does it.
class Team {
 public:
  /// Every thread except the caller's calls `prepare` once, before its first piece. Throws Error if the system
  /// refuses to start that many threads.
  explicit Team(std::size_t threads, const std::function<void()>& prepare = {});
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  Team(Team&&) = delete;
  Team& operator=(Team&&) = delete;
  ~Team();

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  /// Calls `work` with a runner for all threads.
  void together(const std::function<void(const Runner&)>& work);

  /// Calls task(piece, worker) for every piece and returns when all are done; rethrows the first exception.
  void run(std::size_t pieces, const Crew::Task& task);

  /// Divides the threads into `crews` of about equal size that do not wait for each other until all are done: calls
  /// lead(crew, runner) for each, on its first thread if that one starts in time. Crew i has size_of_crew(i, crews)
  /// threads.
  void split(std::size_t crews, const std::function<void(std::size_t crew, const Runner&)>& lead);
  [[nodiscard]] std::size_t size_of_crew(std::size_t crew, std::size_t crews) const;

 private:
  [[nodiscard]] bool orphaned() const;
  void dismiss();
  [[nodiscard]] std::size_t first_of(std::size_t crew, std::size_t crews) const;

  std::uint32_t born_;  // how often the process had been forked when the team was made
  std::mutex running_;
  std::vector<std::unique_ptr<Post>> posts_;
  std::unique_ptr<Crew> all_;
  std::vector<std::thread> threads_;
};

/// Calls work(piece) for every piece on up to `threads` threads, which exist for this call only: worth some tenths of a
/// millisecond of work. Rethrows the first exception. The order of the calls is not fixed, so each must write its
/// results to its own place.
void side_by_side(std::size_t pieces, std::int64_t threads, const std::function<void(std::size_t piece)>& work);

/// Calls work(begin, end) for parts of [0, count) that are long enough to be worth a thread where an item takes
/// microseconds; a short range is one part, in the caller's thread. Items must not depend on each other.
void for_each_part(std::size_t count, std::int64_t threads,
                   const std::function<void(std::size_t begin, std::size_t end)>& work);

/// Threads for the inner work of each of `pieces` that run side by side on `threads`.
[[nodiscard]] std::int64_t threads_of_each(std::size_t pieces, std::int64_t threads);

}  // namespace nomu
