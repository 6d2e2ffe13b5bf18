#include "core/crew.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace nomu {

bool Patience::spin(const std::atomic<std::uint32_t>& state, std::uint32_t old) {
  using Clock = std::chrono::steady_clock;
  constexpr int checks = 16;  // checks of `state` between two readings of the clock
  const auto end = Clock::now() + limit_;
  do {
    for (int i = 0; i < checks; ++i) {
      if (state.load(std::memory_order_acquire) == old) continue;
      limit_ = std::min(2 * limit_, most);
      return true;
    }
    std::this_thread::yield();  // to any other thread that has work for this core
  } while (Clock::now() < end);
  limit_ = std::max(limit_ / 2, least);
  return state.load(std::memory_order_acquire) != old;
}

void Post::serve() {
  Patience patience;
  for (;;) {
    if (!patience.spin(state_, idle)) {
      std::uint32_t seen = idle;
      if (state_.compare_exchange_strong(seen, asleep)) state_.wait(asleep);
    }
    std::uint32_t seen = called;
    if (state_.compare_exchange_strong(seen, working)) {
      crew_->take_pieces(worker_);
      if (state_.exchange(idle) == awaited) state_.notify_one();
    } else if (seen == closed) {
      return;
    }
  }
}

void Post::close() {
  if (state_.exchange(closed) == asleep) state_.notify_one();
}

void Post::call(Crew& crew, std::size_t worker) {
  crew_ = &crew;
  worker_ = worker;
  if (state_.exchange(called) == asleep) state_.notify_one();
}

/// Takes the call back unless the thread has answered it.
bool Post::withdraw() {
  std::uint32_t seen = called;
  return state_.compare_exchange_strong(seen, idle);
}

/// Waits for a thread that has answered.
void Post::await(Patience& patience) {
  if (patience.spin(state_, working)) return;
  std::uint32_t seen = working;
  if (state_.compare_exchange_strong(seen, awaited)) state_.wait(awaited);
}

Crew::Crew(std::vector<Post*> posts) : posts_(std::move(posts)), shares_(size()) {}

void Crew::take_pieces(std::size_t worker) {
  try {
    for (std::size_t other = 0; other < workers_; ++other) {
      Share& share = shares_[(worker + other) % workers_];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::size_t piece = share.next.fetch_add(1);
        if (piece < share.end) (*task_)(piece, worker);
      }
    }
  } catch (...) {
    for (std::size_t w = 0; w < workers_; ++w) shares_[w].next.store(shares_[w].end);
    const std::scoped_lock lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Crew::run(std::size_t pieces, std::size_t workers, const Task& task) {
  task_ = &task;
  workers_ = std::min({pieces, workers, size()});
  for (std::size_t w = 0; w < workers_; ++w) {
    shares_[w].next.store(pieces * w / workers_, std::memory_order_relaxed);
    shares_[w].end = pieces * (w + 1) / workers_;
  }
  for (std::size_t w = 1; w < workers_; ++w) posts_[w - 1]->call(*this, w);
  take_pieces(0);
  for (std::size_t w = 1; w < workers_; ++w) {
    if (!posts_[w - 1]->withdraw()) posts_[w - 1]->await(patience_);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace nomu
