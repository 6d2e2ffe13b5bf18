#include "optimize/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "nomu/core/error.hpp"

namespace nomu::cli {
namespace {

constexpr std::size_t most_output = 1 << 20;  // the end of it counts

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("optimize", "too many open files to start another command");
  }
};

void close_if_open(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

void drain(int file, std::string& text) {
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > most_output) text.erase(0, text.size() - most_output);
  }
}

/// Has the system send this process a signal when its parent dies.
void follow(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) kill(0, SIGKILL);  // it died before the line above
}

[[noreturn]] void become(const char* command, int in, int out, int err) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  _exit(127);
}

/// Runs the command and ends as it ends. What a shell starts does not learn of our death, so somebody in its group has
/// to: when we die this process ends them all. Only calls that are allowed between fork and exec.
[[noreturn]] void watch_over(const char* command, int in, int out, int err, pid_t parent) {
  setpgid(0, 0);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_SETMASK, &awaited, nullptr);
  follow(parent, SIGTERM);
  const pid_t self = getpid();
  const pid_t shell = fork();
  if (shell < 0) _exit(127);
  if (shell == 0) {
    follow(self, SIGKILL);
    become(command, in, out, err);
  }
  // As long as an end of a pipe is open here, the command sees no end of its input.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  int status = 0;
  while (waitpid(shell, &status, WNOHANG) != shell) {
    if (sigwaitinfo(&awaited, nullptr) == SIGTERM) kill(0, SIGKILL);
  }
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  signal(WTERMSIG(status), SIG_DFL);
  sigemptyset(&awaited);
  sigprocmask(SIG_SETMASK, &awaited, nullptr);
  kill(self, WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

}  // namespace

ChildProcess::ChildProcess(const std::string& command, const std::string& input) {
  Pipe in;
  Pipe out;
  Pipe err;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) watch_over(command.c_str(), in.ends[0], out.ends[1], err.ends[1], parent);
  close_if_open(in.ends[0]);
  close_if_open(out.ends[1]);
  close_if_open(err.ends[1]);
  out_pipe_ = out.ends[0];
  err_pipe_ = err.ends[0];
  if (pid_ < 0) {
    close_if_open(in.ends[1]);
    throw Error("optimize", "cannot start another process");
  }
  setpgid(pid_, pid_);  // whichever of the two comes first
  fcntl(out_pipe_, F_SETFL, O_NONBLOCK);
  fcntl(err_pipe_, F_SETFL, O_NONBLOCK);
  // A point is far smaller than what a pipe holds, so this never waits; who does not read it is free not to.
  if (write(in.ends[1], input.data(), input.size()) < 0) errno = 0;
  close_if_open(in.ends[1]);
}

ChildProcess::~ChildProcess() {
  if (!ended_) {
    kill();
    waitpid(pid_, &status_, 0);
  }
  close_if_open(out_pipe_);
  close_if_open(err_pipe_);
}

bool ChildProcess::poll() {
  if (ended_) return true;
  drain(out_pipe_, out_);
  drain(err_pipe_, err_);
  if (waitpid(pid_, &status_, WNOHANG) != pid_) return false;
  ended_ = true;
  drain(out_pipe_, out_);
  drain(err_pipe_, err_);
  return true;
}

void ChildProcess::kill() { ::kill(-pid_, SIGKILL); }

double ChildProcess::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

std::string ChildProcess::failure() const {
  if (WIFSIGNALED(status_)) return fmt::format("killed by signal {}", WTERMSIG(status_));
  if (WEXITSTATUS(status_) != 0) return fmt::format("exit code {}", WEXITSTATUS(status_));
  return {};
}

bool ChildProcess::not_found() const {
  // The message is the shell's own: a command that was found may end with these numbers for reasons of its own.
  return WIFEXITED(status_) && (WEXITSTATUS(status_) == 127 || WEXITSTATUS(status_) == 126) && err_.starts_with("sh: ");
}

}  // namespace nomu::cli
