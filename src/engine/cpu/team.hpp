#pragma once
// The CPU engine's own threads. Work is cut by shape, never by their number, so who does a piece changes nothing.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nomu::engine::cpu {

/// A fixed set of threads that run numbered pieces of a job together; the caller is one of them.
class Team {
 public:
  using Task = std::function<void(std::size_t piece, std::size_t worker)>;

  explicit Team(std::size_t threads);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  Team(Team&&) = delete;
  Team& operator=(Team&&) = delete;
  ~Team();

  [[nodiscard]] std::size_t size() const { return workers_.size() + 1; }

  /// Runs task(0..pieces-1, worker) and returns when all are done; the first exception is thrown on. Who comes while
  /// the team is at work for another thread, or in a process forked since, does all pieces alone, as worker 0.
  void run(std::size_t pieces, const Task& task);

 private:
  void work(std::size_t worker);
  void take_pieces(std::size_t worker);
  [[nodiscard]] bool orphaned() const;

  std::uint32_t born_;  // forks before it
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

/// Runs pieces on a team, or one after the other where there is none.
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

}  // namespace nomu::engine::cpu
