// Processes that ask a study for trials and tell results at once, for a while: how many trials a second the store
// takes.
//   bench_store PLACE CLIENTS SECONDS [TRIALS_BEFORE]
// Creates the study with TRIALS_BEFORE finished trials (10,000), random sampling, five variables.

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <vector>

#include "nomu/nomu.hpp"

namespace {

using Clock = std::chrono::steady_clock;

void fill(const char* place, std::int64_t trials) {
  nomu::OptimizeSpec spec;
  spec.method = "random";
  nomu::Study study = nomu::Study::create(place, nomu::Space::box(5, 0.0, 1.0), spec);
  while (trials > 0) {
    const auto batch = static_cast<std::size_t>(std::min<std::int64_t>(trials, 1000));
    std::vector<nomu::TrialResult> results;
    for (const nomu::Trial& trial : study.ask(batch)) {
      results.push_back({});
      results.back().id = trial.id;
      results.back().value = trial.point[0];
    }
    study.tell(results);
    trials -= static_cast<std::int64_t>(batch);
  }
}

void work(const char* place, double seconds, std::atomic<std::int64_t>& done) {
  nomu::Study study = nomu::Study::open(place);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const nomu::Trial trial = study.ask();
    study.tell(trial, trial.point[0]);
    ++done;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    fmt::print(stderr, "usage: bench_store PLACE CLIENTS SECONDS [TRIALS_BEFORE]\n");
    return 2;
  }
  const int clients = std::atoi(words[2]);
  const double seconds = std::atof(words[3]);
  try {
    fill(words[1], count > 4 ? std::atoll(words[4]) : 10000);
    void* shared =
        mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto& done = *new (shared) std::atomic<std::int64_t>(0);
    for (int i = 0; i < clients; ++i) {
      if (fork() == 0) {
        try {
          work(words[1], seconds, done);
        } catch (const std::exception& error) {
          fmt::print(stderr, "{}\n", error.what());
          _exit(1);
        }
        _exit(0);
      }
    }
    bool good = true;
    for (int i = 0, status = 0; i < clients; ++i) good = wait(&status) > 0 && status == 0 && good;
    fmt::print("{:.1f}\n", static_cast<double>(done.load()) / seconds);
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
