#include "core/team.hpp"

#include <pthread.h>

#include <memory>
#include <utility>

#include "core/subnormals.hpp"

namespace nomu {
namespace {

/// Waits until `value` is no longer `old`: spins briefly, since the phases of a step follow within microseconds, then
/// sleeps.
template <class T>
void await_change(const std::atomic<T>& value, T old) {
  for (int i = 0; i < 4000; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    if (i % 64 == 63) std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

/// How many forks lie between this process and the first one. Threads stay in the parent, so a team made before the
/// last fork has none.
std::atomic<std::uint32_t>& forks() {
  static std::atomic<std::uint32_t> count{0};
  [[maybe_unused]] static const int watched = pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1); });
  return count;
}

}  // namespace

Team::Team(std::size_t threads, const std::function<void()>& prepare) : born_(forks().load()) {
  for (std::size_t i = 1; i < threads; ++i) workers_.emplace_back([this, i, prepare] { work(i, prepare); });
}

Team::~Team() {
  if (orphaned()) {
    // The threads stayed in the parent: there is nothing to join, so their handles are leaked.
    [[maybe_unused]] const auto* left = std::make_unique<std::vector<std::jthread>>(std::move(workers_)).release();
    return;
  }
  closing_.store(true);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void Team::take_pieces(std::size_t worker) {
  try {
    for (std::size_t i = next_.fetch_add(1); i < pieces_; i = next_.fetch_add(1)) (*task_)(i, worker);
  } catch (...) {
    next_.store(pieces_);
    const std::scoped_lock lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Team::work(std::size_t worker, const std::function<void()>& prepare) {
  const FlushSubnormals flush;
  if (prepare) prepare();
  std::uint32_t seen = 0;
  for (;;) {
    await_change(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (closing_.load()) return;
    take_pieces(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

bool Team::orphaned() const { return born_ != forks().load(std::memory_order_relaxed); }

void Team::run(std::size_t pieces, const Task& task) {
  const FlushSubnormals flush;
  const std::unique_lock alone(running_, std::try_to_lock);
  if (!alone || orphaned()) {
    for (std::size_t i = 0; i < pieces; ++i) task(i, 0);
    return;
  }
  task_ = &task;
  pieces_ = pieces;
  next_.store(0);
  busy_.store(static_cast<std::uint32_t>(workers_.size()));
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_pieces(0);
  for (std::uint32_t left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire)) {
    await_change(busy_, left);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace nomu
