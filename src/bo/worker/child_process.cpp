#include "bo/worker/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "bo/worker/live_processes.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_output = 1 << 20;  // only the end matters

/// A process to be started. Spawning is safe in a program with many threads, where code between fork and exec is not.
class Spawn {
 public:
  explicit Spawn(pid_t group) {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, group);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  Spawn(Spawn&&) = delete;
  Spawn& operator=(Spawn&&) = delete;
  ~Spawn() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  void redirect(int to, int from) { posix_spawn_file_actions_adddup2(&files_, from, to); }
  void discard(int to) { posix_spawn_file_actions_addopen(&files_, to, "/dev/null", O_WRONLY, 0); }

  [[nodiscard]] pid_t shell(const std::string& command, ChildEnvironment environment = {}) const {
    const auto name_of = [](std::string_view variable) { return variable.substr(0, variable.find('=')); };
    std::set<std::string_view> own(environment.removed.begin(), environment.removed.end());
    for (const std::string& variable : environment.added) own.insert(name_of(variable));
    std::vector<char*> all;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (!own.contains(name_of(*variable))) all.push_back(*variable);
    }
    for (std::string& variable : environment.added) all.push_back(variable.data());
    all.push_back(nullptr);
    std::array<std::string, 3> words{"sh", "-c", command};
    const std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t pid = -1;
    const int code = posix_spawn(&pid, "/bin/sh", &files_, &attributes_, arguments.data(), all.data());
    if (code == 0) return pid;
    throw Error("bo/worker", fmt::format("cannot start another process: {}", std::generic_category().message(code)));
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// Takes what there is. Not all that comes: a command may write faster than we read, and would never be looked at
/// again.
void drain(int file, std::string& text) {
  std::array<char, 1 << 14> buffer{};
  std::size_t taken = 0;
  for (ssize_t got = 0; taken < most_output && (got = read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
    taken += static_cast<std::size_t>(got);
  }
  if (text.size() > most_output) text.erase(0, text.size() - most_output);
}

/// What a guard does; see the constructor. The first line it reads is the process of the command. What left the group
/// (`timeout` and `setsid` do) is known by its parent, group or session being one of ours; `known` holds these. Fields
/// of stat after the name: state, parent, group, session.
constexpr const char* guarding = R"(trap '' TERM
read -r shell
read -r end
known=" $$ ${shell:-$$} "
more=1
while [ "$more" ]; do
  more=
  for file in /proc/[0-9]*/stat; do
    { read -r stat < "$file"; } 2> /dev/null || continue
    set -- "${stat%% *}" ${stat##*) }
    case $known in *" $1 "*) continue ;; esac
    case $known in *" $3 "* | *" $4 "* | *" $5 "*) known="$known$1 "; more=1 ;; esac
  done
done
for process in $known; do [ "$process" = $$ ] || kill -KILL "$process"; done
kill -KILL 0)";

/// Waits for the end of a process that was killed, but not for ever: one that waits for a file server cannot be killed.
bool reap(pid_t process, int* status) {
  constexpr double patience = 2.0;  // seconds
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const pid_t found = waitpid(process, status, WNOHANG);
    if (found == process || (found < 0 && errno != EINTR)) return found == process;
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

ChildProcess::File& ChildProcess::File::operator=(File&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void ChildProcess::File::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

struct ChildProcess::Pipe {
  File read;
  File write;

  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("bo/worker", "too many open files to start another command");
    read = File(ends[0]);
    write = File(ends[1]);
  }
};

/// The processes that a shell starts do not notice that we die. Therefore a guard leads their process group: it waits
/// for the end of a pipe whose other end only we hold, and then kills the group and what the command has started in
/// other groups. It outlives a SIGTERM to the group.
ChildProcess::ChildProcess(const std::string& command, std::string input, const ChildEnvironment& environment)
    : input_(std::move(input)) {
  Pipe alive;
  Pipe in;
  Pipe out;
  Pipe err;
  Spawn guard(0);
  guard.redirect(STDIN_FILENO, alive.read.number());
  guard.discard(STDOUT_FILENO);
  guard.discard(STDERR_FILENO);
  guard_ = guard.shell(guarding);
  Spawn shell(guard_);
  shell.redirect(STDIN_FILENO, in.read.number());
  shell.redirect(STDOUT_FILENO, out.write.number());
  shell.redirect(STDERR_FILENO, err.write.number());
  try {
    shell_ = shell.shell(command, environment);
  } catch (...) {
    end_guard();
    throw;
  }
  ours_ = {guard_, shell_};
  // A pipe takes a few bytes at once. Without them the guard still kills the group.
  const std::string number = fmt::format("{}\n", shell_);
  [[maybe_unused]] const ssize_t told = write(alive.write.number(), number.data(), number.size());
  alive_ = std::move(alive.write);
  out_pipe_ = std::move(out.read);
  err_pipe_ = std::move(err.read);
  in_pipe_ = std::move(in.write);
  in_end_ = std::move(in.read);
  for (const File* file : {&in_pipe_, &out_pipe_, &err_pipe_}) fcntl(file->number(), F_SETFL, O_NONBLOCK);
  feed();
}

/// Writes as much of the input as the pipe takes; a command need not read it. Our copy of the other end stays open as
/// long as there is something to write, so that there is no SIGPIPE.
void ChildProcess::feed() {
  while (!input_.empty()) {
    const ssize_t written = write(in_pipe_.number(), input_.data(), input_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    input_.erase(0, written < 0 ? input_.size() : static_cast<std::size_t>(written));
  }
  in_pipe_.close();
  in_end_.close();
}

ChildProcess::~ChildProcess() {
  if (ended_) return;
  try {
    kill();
  } catch (const std::exception&) {
    // There was no memory to look for what is in other groups.
    ::kill(-guard_, SIGKILL);
    if (!reaped_) ::kill(shell_, SIGKILL);
  }
  if (!reaped_) reap(shell_, &status_);
  end_guard();
}

/// Leaves alone what the command started in the background.
void ChildProcess::end_guard() {
  if (guard_ < 0) return;
  ::kill(guard_, SIGKILL);
  reap(guard_, nullptr);
  guard_ = -1;
}

bool ChildProcess::poll() {
  if (ended_) return true;
  feed();
  drain(out_pipe_.number(), out_);
  drain(err_pipe_.number(), err_);
  if (!reaped_) reaped_ = waitpid(shell_, &status_, WNOHANG) == shell_;
  if (!reaped_ || (terminated_ && !others().empty())) return false;
  ended_ = true;
  end_guard();
  drain(out_pipe_.number(), out_);
  drain(err_pipe_.number(), err_);
  return true;
}

void ChildProcess::terminate() {
  terminated_ = true;
  if (guard_ < 0) return;
  const std::vector<pid_t> elsewhere = others(false);  // while it still has the parents that show that it is ours
  ::kill(-guard_, SIGTERM);
  for (const pid_t process : elsewhere) ::kill(process, SIGTERM);
}

/// The live processes of the command besides the guard, which we are not the parent of: a shell dies of SIGTERM before
/// a program that it runs has tidied up. A program may leave the group, as `timeout` and `setsid` do; then its parent,
/// its group or its session was started by the command. They are remembered, because who loses its parent keeps its
/// group and session.
std::vector<pid_t> ChildProcess::others(bool of_group_too) {
  const std::vector<LiveProcess> all = live_processes();
  const auto is_ours = [this](const LiveProcess& process) {
    return ours_.contains(process.parent) || ours_.contains(process.group) || ours_.contains(process.session);
  };
  for (bool more = true; more;) {
    more = false;
    for (const LiveProcess& process : all) more = (is_ours(process) && ours_.insert(process.id).second) || more;
  }
  std::vector<pid_t> found;
  for (const LiveProcess& process : all) {
    if (process.id == guard_ || !is_ours(process)) continue;
    if (of_group_too || process.group != guard_) found.push_back(process.id);
  }
  return found;
}

/// Again until nothing is left that was started while we looked; what cannot be killed is not waited for.
void ChildProcess::kill() {
  constexpr int most_rounds = 20;
  if (guard_ < 0) return;
  std::vector<pid_t> left = others();
  ::kill(-guard_, SIGKILL);
  if (!reaped_) ::kill(shell_, SIGKILL);  // it may have left the group
  for (int round = 0; round < most_rounds && !left.empty(); ++round) {
    for (const pid_t process : left) ::kill(process, SIGKILL);
    if (!reaped_) reaped_ = waitpid(shell_, &status_, WNOHANG) == shell_;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    left = others();
  }
}

double ChildProcess::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

std::string ChildProcess::failure() const {
  if (WIFSIGNALED(status_)) return fmt::format("killed by signal {}", WTERMSIG(status_));
  if (WEXITSTATUS(status_) != 0) return fmt::format("exit code {}", WEXITSTATUS(status_));
  return {};
}

bool ChildProcess::not_found() const {
  // Only the shell's own message tells: a command that was found may end with these codes for its own reasons.
  return WIFEXITED(status_) && (WEXITSTATUS(status_) == 127 || WEXITSTATUS(status_) == 126) && err_.starts_with("sh: ");
}

}  // namespace nomu
