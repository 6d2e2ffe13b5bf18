#include "terminal.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "nomu/core/error.hpp"

namespace nomu::cli {

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("output", "cannot write to standard output");
  }
}

std::stop_source& interrupts() {
  static std::stop_source source;
  return source;
}

void watch_interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // before any other thread starts, so that all inherit it
  signal(SIGPIPE, SIG_IGN);
  // A thread that waits for the signal may call anything; a signal handler may not. The second Ctrl-C ends at once.
  std::thread([set] {
    for (int count = 0;; ++count) {
      int number = 0;
      if (sigwait(&set, &number) != 0) continue;
      if (count > 0) _exit(130);
      interrupts().request_stop();
    }
  }).detach();
}

void apply_setting(const Fields& fields, const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos)
    throw ConfigError("--set", fmt::format("'{}' is not of the form key=value", setting));
  fields.set_text(setting.substr(0, equals), setting.substr(equals + 1));
}

bool has_terminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace nomu::cli
