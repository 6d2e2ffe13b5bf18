#pragma once
// A shell command that runs beside us: what it printed, how it ended, and its end when it takes too long.

#include <sys/types.h>

#include <chrono>
#include <string>

namespace nomu::cli {

class ChildProcess {
 public:
  /// Starts `/bin/sh -c command` with `input` on its standard input, in a process group of its own that dies with us.
  /// Throws Error where there are no more processes to be had.
  ChildProcess(const std::string& command, const std::string& input);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ChildProcess(ChildProcess&&) = delete;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// Reads what is there without waiting; whether the command has ended.
  [[nodiscard]] bool poll();
  /// Ends the whole group.
  void kill();

  [[nodiscard]] double seconds() const;
  [[nodiscard]] const std::string& out() const { return out_; }
  [[nodiscard]] const std::string& err() const { return err_; }
  /// "" for success; else "exit code 3" or "killed by signal 9".
  [[nodiscard]] std::string failure() const;
  /// The shell could not run it at all.
  [[nodiscard]] bool not_found() const;

 private:
  pid_t pid_ = -1;
  int out_pipe_ = -1;
  int err_pipe_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string out_, err_;
};

}  // namespace nomu::cli
