#include "engine/cpu/kernels/fork_guard.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace nomu::engine::cpu {
namespace {

/// Whether a thread is inside a guard. Each thread writes its own, so that threads do not slow each other down.
struct alignas(64) Presence {
  Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;
  Presence(Presence&&) = delete;
  Presence& operator=(Presence&&) = delete;
  ~Presence();

  std::atomic<bool> inside{false};
};

/// The presence of this thread, once it is registered; without a constructor, so that it can be read during a fork.
Presence*& registered() {
  thread_local constinit Presence* one = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
  return one;
}

/// 1 while a thread forks.
std::atomic<std::uint32_t>& forking() {
  static constinit std::atomic<std::uint32_t> flag{0};
  return flag;
}

struct Threads {
  std::mutex mutex;  // held during a fork
  std::vector<Presence*> list;
};

void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

/// Never destroyed, because threads may end after the last static object.
Threads& threads() {
  static Threads& all = *new Threads;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
  [[maybe_unused]] static const int watched = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  return all;
}

void before_fork() {
  Threads& all = threads();
  all.mutex.lock();
  forking().store(1);
  for (const Presence* other : all.list) {
    while (other->inside.load()) std::this_thread::yield();
  }
}

void open_again(Threads& all) {
  forking().store(0);
  forking().notify_all();
  all.mutex.unlock();
}

void after_fork_in_parent() { open_again(threads()); }

void after_fork_in_child() {
  Threads& all = threads();
  all.list.clear();  // the other threads stayed in the parent
  if (registered() != nullptr) all.list.push_back(registered());
  open_again(all);
}

Presence::Presence() {
  const std::scoped_lock lock(threads().mutex);
  threads().list.push_back(this);
  registered() = this;
}

Presence::~Presence() {
  const std::scoped_lock lock(threads().mutex);
  std::erase(threads().list, this);
  registered() = nullptr;
}

Presence& enlisted() {
  thread_local Presence own;
  return own;
}

}  // namespace

ForkGuard::ForkGuard() {
  Presence& own = registered() != nullptr ? *registered() : enlisted();
  for (;;) {
    own.inside.store(true);
    if (forking().load() == 0) return;
    own.inside.store(false);
    forking().wait(1);
  }
}

ForkGuard::~ForkGuard() { registered()->inside.store(false, std::memory_order_release); }

}  // namespace nomu::engine::cpu
