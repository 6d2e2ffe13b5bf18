#pragma once
// A shell command that runs in its own process group: what it printed, how it ended, and how to kill it.

#include <sys/types.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace nomu {

/// In what the environment of a command differs from that of this process.
struct ChildEnvironment {
  std::vector<std::string> added = {};    ///< "NAME=text", instead of what this process has of that name
  std::vector<std::string> removed = {};  ///< "NAME", unless it is added
};

class ChildProcess {
 public:
  /// Starts `/bin/sh -c command` with `input` on its standard input. The command and everything it started are killed
  /// when this process dies. Throws Error if no process can be started.
  ChildProcess(const std::string& command, std::string input, const ChildEnvironment& environment = {});
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ChildProcess(ChildProcess&&) = delete;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills the command and everything it started if it is still running; waits no more than seconds for what cannot be
  /// killed.
  ~ChildProcess();

  /// Writes input and reads the output so far, without waiting; returns whether the command has ended.
  [[nodiscard]] bool poll();
  /// Asks the command and everything it started to end (SIGTERM). From then on `poll` also waits for what it started.
  void terminate();
  /// Kills the command and everything it started.
  void kill();

  /// Seconds since the start.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] const std::string& out() const { return out_; }
  [[nodiscard]] const std::string& err() const { return err_; }
  /// "" for success; otherwise "exit code 3" or "killed by signal 9".
  [[nodiscard]] std::string failure() const;
  /// Whether the shell could not run the command at all.
  [[nodiscard]] bool not_found() const;

 private:
  /// An open file that is closed with the object.
  class File {
   public:
    File() = default;
    explicit File(int number) : number_(number) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    File(File&&) = delete;
    File& operator=(File&& other) noexcept;
    ~File() { close(); }
    [[nodiscard]] int number() const { return number_; }
    void close();

   private:
    int number_ = -1;
  };
  struct Pipe;

  [[nodiscard]] std::vector<pid_t> others(bool of_group_too = true);
  void feed();
  void end_guard();

  pid_t guard_ = -1;  // leads the process group
  pid_t shell_ = -1;
  std::set<pid_t> ours_;  // processes seen so far; as parent, group or session they show what else is ours
  File alive_;            // as long as this is open, the guard waits
  File in_pipe_;
  File in_end_;  // of the command
  File out_pipe_;
  File err_pipe_;
  int status_ = 0;
  bool reaped_ = false;
  bool terminated_ = false;
  bool ended_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string input_;  // what is left of it
  std::string out_, err_;
};

}  // namespace nomu
