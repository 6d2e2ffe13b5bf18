#include "engine/cpu/kernels/fork_guard.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace nomu::engine::cpu {
namespace {

/// A library's lock, taken inside guards by threads that do nothing else.
TEST(ForkGuard, ALockThatThreadsHoldIsFreeInAForkedProcess) {
  std::mutex lock;
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> rounds{0};
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([&] {
      while (!stop) {
        const ForkGuard guard;
        const std::scoped_lock held(lock);
        rounds.fetch_add(1);
      }
    });
  }
  while (rounds < 100) std::this_thread::yield();
  int held = 0;
  for (int k = 0; k < 200; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      if (!lock.try_lock()) _exit(1);
      lock.unlock();
      const ForkGuard guard;  // the child can enter, too
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    held += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  EXPECT_EQ(held, 0) << "of 200 processes";
  const std::size_t before = rounds;
  while (rounds < before + 100) std::this_thread::yield();  // forks do not keep the threads out for ever
  stop = true;
}

TEST(ForkGuard, AForkedProcessForksAgain) {
  const auto forked = [](const auto& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  };
  { const ForkGuard guard; }
  EXPECT_EQ(forked([&] {
              { const ForkGuard guard; }
              std::jthread([] { const ForkGuard guard; }).join();
              return forked([] {
                const ForkGuard guard;
                return 0;
              });
            }),
            0);
}

}  // namespace
}  // namespace nomu::engine::cpu
