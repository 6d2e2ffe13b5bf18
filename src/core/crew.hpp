#pragma once
// A crew is a thread and the threads it may call for help. Waiting costs little: a short spin, then sleep; and nobody
// waits for a thread that has not even started, so a crew on a busy machine is about as fast as its caller alone.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace nomu {

class Crew;

/// How long a thread spins before it sleeps: longer if spinning paid off recently, shorter if it did not.
class Patience {
 public:
  /// Returns when `state` is no longer `old` or the time is up; the result says whether `state` has changed.
  [[nodiscard]] bool spin(const std::atomic<std::uint32_t>& state, std::uint32_t old);

 private:
  std::chrono::nanoseconds limit_{most};

  static constexpr std::chrono::nanoseconds least = std::chrono::microseconds(2);
  static constexpr std::chrono::nanoseconds most = std::chrono::microseconds(50);
};

/// The place at which one thread waits for work.
class alignas(64) Post {
 public:
  /// Answers calls until `close`.
  void serve();
  void close();

 private:
  friend class Crew;
  enum State : std::uint32_t {
    idle,     ///< the thread spins
    asleep,   ///< the thread sleeps
    called,   ///< the thread has not answered yet; the call may still be withdrawn
    working,  ///< the thread has answered
    awaited,  ///< the thread is working, and the caller sleeps until it is done
    closed
  };

  void call(Crew& crew, std::size_t worker);
  [[nodiscard]] bool withdraw();
  void await(Patience& patience);

  std::atomic<std::uint32_t> state_{idle};
  Crew* crew_ = nullptr;
  std::size_t worker_ = 0;
};

/// Runs jobs in numbered pieces on the calling thread and the threads at its posts.
class Crew {
 public:
  using Task = std::function<void(std::size_t piece, std::size_t worker)>;

  explicit Crew(std::vector<Post*> posts);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  Crew(Crew&&) = delete;
  Crew& operator=(Crew&&) = delete;
  ~Crew() = default;

  [[nodiscard]] std::size_t size() const { return posts_.size() + 1; }

  /// Calls task(piece, worker) for every piece, on `workers` threads at most, and returns when all are done; rethrows
  /// the first exception. In jobs of the same size, each worker begins with the same pieces, whose memory is in its
  /// cache, and then takes over what others have not begun.
  void run(std::size_t pieces, std::size_t workers, const Task& task);

 private:
  friend class Post;
  struct alignas(64) Share {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  void take_pieces(std::size_t worker);

  std::vector<Post*> posts_;
  std::vector<Share> shares_;
  std::size_t workers_ = 0;  ///< of the job in progress
  const Task* task_ = nullptr;
  Patience patience_;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

/// Runs pieces on a crew, or one after the other if there is none.
class Runner {
 public:
  Runner() = default;
  explicit Runner(Crew& crew) : crew_(&crew), most_(crew.size()) {}

  /// The same crew, of which no more than `most` threads are used.
  [[nodiscard]] Runner limited(std::size_t most) const {
    Runner fewer = *this;
    fewer.most_ = most < 1 ? 1 : most < most_ ? most : most_;
    return fewer;
  }
  [[nodiscard]] std::size_t workers() const { return most_; }

  template <class F>
  void run(std::size_t pieces, const F& piece) const {
    if (most_ > 1 && pieces > 1) {
      crew_->run(pieces, most_, std::cref(piece));
      return;
    }
    for (std::size_t i = 0; i < pieces; ++i) piece(i, 0);
  }

 private:
  Crew* crew_ = nullptr;
  std::size_t most_ = 1;
};

}  // namespace nomu
