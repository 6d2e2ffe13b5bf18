#include "core/team.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>
#include <thread>

#include "message_of.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

TEST(Team, RunsEveryPieceOnce) {
  Team team(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> done(37, 0);
    team.run(done.size(), [&done](std::size_t piece, std::size_t /*worker*/) { ++done[piece]; });
    EXPECT_EQ(done, std::vector<int>(37, 1));
  }
}

TEST(Team, SeveralThreadsMayAskAtOnce) {
  Team team(3);
  std::atomic<std::size_t> done{0};
  const auto ask = [&] {
    for (int round = 0; round < 50; ++round) team.run(20, [&](std::size_t, std::size_t) { done.fetch_add(1); });
  };
  {
    std::jthread other(ask);
    ask();
  }
  EXPECT_EQ(done.load(), 2U * 50U * 20U);
}

TEST(Team, AForkedProcessWorksAlone) {
  auto team = std::make_unique<Team>(3);
  const pid_t child = fork();
  if (child == 0) {
    std::size_t done = 0;
    team->run(20, [&](std::size_t, std::size_t) { ++done; });
    team.reset();
    _exit(done == 20 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take more than any limit of memory
TEST(Team, SaysThatThereAreTooFewThreads) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few{.rlim_cur = 256U << 20U, .rlim_max = 256U << 20U};  // stacks of some 30 threads
    if (setrlimit(RLIMIT_AS, &few) != 0) _exit(2);
    const std::string message = message_of<Error>([] { Team(500); });
    _exit(message.find("of 500 threads could be started") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

TEST(Team, PassesAnExceptionOnAndGoesOn) {
  Team team(3);
  const auto failing = [](std::size_t piece, std::size_t /*worker*/) {
    if (piece == 5) throw DataError("test", "piece 5");
  };
  EXPECT_EQ(message_of<DataError>([&] { team.run(20, failing); }), "[test] piece 5");
  int sum = 0;
  std::mutex mutex;
  team.run(10, [&](std::size_t piece, std::size_t /*worker*/) {
    const std::scoped_lock lock(mutex);
    sum += static_cast<int>(piece);
  });
  EXPECT_EQ(sum, 45);
}

TEST(Team, UsesNoMoreThreadsThanItsLimit) {
  Team team(8);
  team.together([](const Runner& all) {
    EXPECT_EQ(all.workers(), 8U);
    const Runner two = all.limited(2);
    EXPECT_EQ(two.workers(), 2U);
    EXPECT_EQ(all.limited(0).workers(), 1U);
    EXPECT_EQ(all.limited(100).workers(), 8U);
    for (int round = 0; round < 100; ++round) {
      std::vector<int> done(20, 0);
      two.run(done.size(), [&done](std::size_t piece, std::size_t worker) {
        EXPECT_LT(worker, 2U);
        ++done[piece];
      });
      EXPECT_EQ(done, std::vector<int>(20, 1));
    }
  });
}

TEST(Team, CrewsHaveAllThreadsBetweenThem) {
  Team team(16);
  for (const std::size_t crews : {1, 2, 3, 5, 10, 16}) {
    std::size_t threads = 0;
    for (std::size_t c = 0; c < crews; ++c) threads += team.size_of_crew(c, crews);
    EXPECT_EQ(threads, 16U) << crews;
  }
}

TEST(Team, CrewsWorkSideBySide) {
  Team team(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<int>> done(3, std::vector<int>(11, 0));
    std::atomic<int> led{0};
    team.split(3, [&](std::size_t crew, const Runner& runner) {
      ++led;
      EXPECT_EQ(runner.workers(), team.size_of_crew(crew, 3));
      for (int job = 0; job < 5; ++job)
        runner.run(11, [&](std::size_t piece, std::size_t /*worker*/) { ++done[crew][piece]; });
    });
    EXPECT_EQ(led.load(), 3);
    for (const std::vector<int>& own : done) EXPECT_EQ(own, std::vector<int>(11, 5));
  }
}

TEST(Team, ACrewPassesAnExceptionOn) {
  Team team(4);
  const auto failing = [](std::size_t crew, const Runner& runner) {
    runner.run(6, [&](std::size_t piece, std::size_t /*worker*/) {
      if (crew == 1 && piece == 3) throw DataError("test", "piece 3 of crew 1");
    });
  };
  EXPECT_EQ(message_of<DataError>([&] { team.split(2, failing); }), "[test] piece 3 of crew 1");
  std::atomic<int> sum{0};
  team.run(10, [&](std::size_t piece, std::size_t /*worker*/) { sum += static_cast<int>(piece); });
  EXPECT_EQ(sum.load(), 45);
}

/// Nobody burns a processor while another thread works.
TEST(Team, WaitingTakesNoProcessorTime) {
  Team team(4);
  const std::clock_t before = std::clock();
  for (int round = 0; round < 4; ++round) {
    team.run(4, [](std::size_t piece, std::size_t /*worker*/) {
      if (piece == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    });
  }
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.05) << "of 0.2 s";
}

/// A worker begins with the same pieces in every job that is cut alike.
TEST(Team, WorkersKeepTheirPieces) {
  Team team(2);
  std::size_t kept = 0;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> begun{0};
    team.run(2, [&](std::size_t piece, std::size_t worker) {
      // Until both have begun, or in vain if the other thread does not get a processor.
      begun.fetch_add(1);
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
      while (begun.load() < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      if (piece == worker && piece == 1) ++kept;
    });
  }
  EXPECT_GT(kept, 0U);
}

TEST(SideBySide, RunsEveryPieceOnceOnAnyNumberOfThreads) {
  for (const std::int64_t threads : {-1, 1, 2, 3, 16}) {
    for (const std::size_t pieces : {0, 1, 7}) {
      std::vector<int> done(pieces, 0);
      side_by_side(pieces, threads, [&](std::size_t piece) { ++done[piece]; });
      EXPECT_EQ(done, std::vector<int>(pieces, 1)) << threads << " threads";
    }
  }
}

TEST(SideBySide, PassesAnExceptionOn) {
  const auto failing = [](std::size_t piece) {
    if (piece == 3) throw DataError("test", "piece 3");
  };
  EXPECT_EQ(message_of<DataError>([&] { side_by_side(9, 4, failing); }), "[test] piece 3");
}

TEST(ForEachPart, CoversTheRangeWithoutOverlap) {
  for (const std::size_t count : {0, 1, 511, 512, 513, 5000}) {
    std::vector<int> done(count, 0);
    for_each_part(count, 3, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++done[i];
    });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

TEST(ForEachPart, AShortRangeStaysInItsThread) {
  for_each_part(100, 8, [caller = std::this_thread::get_id()](std::size_t begin, std::size_t end) {
    EXPECT_EQ(end - begin, 100U);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ThreadsOfEach, DividesThreadsAndLeavesOneAtLeast) {
  EXPECT_EQ(threads_of_each(1, 16), 16);
  EXPECT_EQ(threads_of_each(5, 16), 3);
  EXPECT_EQ(threads_of_each(40, 16), 1);
  EXPECT_EQ(threads_of_each(0, 16), 16);
}

}  // namespace
}  // namespace nomu
