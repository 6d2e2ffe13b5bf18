#include "many_changes.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr unsigned seconds_each = 30;
constexpr std::size_t batch = 500;

/// What a child process is doing; its parent reads it when it ends early.
struct Now {
  std::size_t change;
  std::size_t answers;
  char what[400];
};

void run_batch(const RunChange& run, std::size_t first, std::size_t last, Now& now) {
  for (std::size_t k = first; k < last; ++k) {
    now.change = k;
    ::alarm(seconds_each);
    try {
      now.answers += static_cast<std::size_t>(
          run(k, [&](const std::string& what) { std::snprintf(now.what, sizeof(now.what), "%s", what.c_str()); }));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::abort();
    }
    ::alarm(0);
  }
}

/// Runs changes [first, last) and returns the number of findings.
std::size_t run_children(const RunChange& run, std::size_t first, std::size_t last, Now& now) {
  std::size_t findings = 0;
  while (first < last) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      run_batch(run, first, last, now);
      std::exit(0);  // looks for leaks, too
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return findings;
    ++findings;
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    std::printf("FINDING %zu: %s: %s\n", now.change, late ? "hang" : "crash", now.what);
    first = now.change + 1;
  }
  return findings;
}

}  // namespace

ChangeOptions change_options(int argc, char** argv) {
  ChangeOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      options.words.push_back(word);
      continue;
    }
    const char* next = i + 1 < argc ? argv[++i] : "";
    if (word == "--changes") options.changes = std::strtoul(next, nullptr, 10);
    if (word == "--seed") options.seed = std::strtoul(next, nullptr, 10);
    if (word == "--only") options.only = std::strtol(next, nullptr, 10);
    if (word == "--keep") options.keep = next;
  }
  return options;
}

int run_changes(const ChangeOptions& options, const RunChange& run) {
  if (options.only >= 0) {
    const int answers =
        run(static_cast<std::size_t>(options.only), [](const std::string& what) { std::printf("%s\n", what.c_str()); });
    std::printf("%d answers\n", answers);
    return 0;
  }
  auto* now =
      static_cast<Now*>(::mmap(nullptr, sizeof(Now), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::size_t findings = 0;
  for (std::size_t first = 0; first < options.changes; first += batch)
    findings += run_children(run, first, std::min(first + batch, options.changes), *now);
  std::printf("%zu changed files, %zu answers, %zu findings\n", options.changes, now->answers, findings);
  return findings == 0 && now->answers > options.changes / 10 ? 0 : 1;
}

int answered(const char* name, const std::function<void()>& command) {
  try {
    command();
    return 1;
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() < 10) throw std::logic_error(fmt::format("{}: no message", name));
  } catch (const std::exception& error) {
    throw std::logic_error(fmt::format("{}: {}", name, error.what()));
  }
  return 0;
}

}  // namespace nomu

// One block of memory larger than this is a finding: no file here has a reason for it.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the sanitizers look for these names
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=1024:detect_leaks=1"; }
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
