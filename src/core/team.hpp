#pragma once
// A team of threads. Work is cut into pieces by its shape, never by the number of threads, so it does not matter which
// thread runs a piece.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nomu {

/// A fixed set of threads that run numbered pieces of a job together; the caller is one of them.
class Team {
 public:
  using Task = std::function<void(std::size_t piece, std::size_t worker)>;

  /// Every thread except the caller's calls `prepare` once, before its first piece.
  explicit Team(std::size_t threads, const std::function<void()>& prepare = {});
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  Team(Team&&) = delete;
  Team& operator=(Team&&) = delete;
  ~Team();

  [[nodiscard]] std::size_t size() const { return workers_.size() + 1; }

  /// Calls task(piece, worker) for every piece and returns when all are done; rethrows the first exception. A caller
  /// that finds the team busy with another thread's job, or that runs in a process forked since the team was made, runs
  /// all pieces itself, as worker 0. Subnormal numbers count as zero in every piece, whichever thread runs it.
  void run(std::size_t pieces, const Task& task);

 private:
  void work(std::size_t worker, const std::function<void()>& prepare);
  void take_pieces(std::size_t worker);
  [[nodiscard]] bool orphaned() const;

  std::uint32_t born_;  // how often the process had been forked when the team was made
  std::mutex running_;
  std::vector<std::jthread> workers_;
  const Task* task_ = nullptr;
  std::size_t pieces_ = 0;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint32_t> busy_{0};
  std::atomic<bool> closing_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

/// Runs pieces on a team, or one after the other if there is none.
class Runner {
 public:
  Runner() = default;
  explicit Runner(Team& team) : team_(&team) {}
  [[nodiscard]] std::size_t workers() const { return team_ == nullptr ? 1 : team_->size(); }

  template <class F>
  void run(std::size_t pieces, const F& piece) const {
    if (team_ != nullptr && pieces > 1) {
      team_->run(pieces, piece);
      return;
    }
    for (std::size_t i = 0; i < pieces; ++i) piece(i, 0);
  }

 private:
  Team* team_ = nullptr;
};

}  // namespace nomu
