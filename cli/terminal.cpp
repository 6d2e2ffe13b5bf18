#include "terminal.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/printable.hpp"
#include "nomu/core/private_file.hpp"

namespace nomu::cli {

void keep_standard_files_apart() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The wrong way round, so that using it remains an error. The lowest free number is this one.
    (void)::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void write_out(std::string_view given) {
  // Names and cells may hold anything; files and other programs get it as it is.
  static const bool terminal = isatty(STDOUT_FILENO) == 1;
  const std::string shown = terminal ? printable(given) : std::string();
  const std::string_view text = terminal ? shown : given;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("output", "cannot write to standard output");
  }
}

void print_json(const nlohmann::json& value) {
  write_out(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void write_error(std::string_view given) {
  const std::string text = printable(given);
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

namespace {

std::stop_source& stop_requests() {
  static std::stop_source source;
  return source;
}

/// How many look at requests to stop.
std::atomic<int>& heeding() {
  static std::atomic<int> count = 0;
  return count;
}

}  // namespace

HeedInterrupts::HeedInterrupts() { ++heeding(); }
HeedInterrupts::~HeedInterrupts() { --heeding(); }
std::stop_token HeedInterrupts::token() { return stop_requests().get_token(); }

void watch_interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // before any other thread starts, so that all threads inherit it
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error like a full disk
  // A thread that waits for the signal may call anything; a signal handler may not. A second Ctrl-C exits at once. A
  // second SIGTERM does not: batch systems send it to every process of a job, whose script then passes it on, and what
  // is being handed back must not be cut short.
  std::thread([set] {
    for (int pressed = 0;;) {
      int number = 0;
      if (sigwait(&set, &number) != 0) continue;
      if (number == SIGINT) ++pressed;
      // While files are read and written nobody looks, and a pipe may take for ever.
      if (pressed > 1 || heeding() == 0) _exit(130);
      stop_requests().request_stop();
    }
  }).detach();
}

Setting setting_of(const std::string& text) { return parse_setting(text, "--set"); }

void apply_setting(const Fields& fields, const std::string& text) { apply_settings(fields, {setting_of(text)}); }

ProgressBar::ProgressBar(bool json_lines)
    : json_lines_(json_lines), visible_(!json_lines && isatty(STDERR_FILENO) == 1) {}

std::function<void(const ProgressEvent&)> ProgressBar::callback() {
  if (json_lines_) {
    return [](const ProgressEvent& event) {
      const nlohmann::json line{{"stage", event.stage},
                                {"done", event.done},
                                {"total", event.total},
                                {"seconds", event.seconds},
                                {"loss", event.loss}};
      std::fputs((line.dump() + "\n").c_str(), stderr);
    };
  }
  if (!visible_) return {};
  return [](const ProgressEvent& event) {
    constexpr int width = 30;
    const double share = event.total > 0 ? static_cast<double>(event.done) / static_cast<double>(event.total) : 0.0;
    const int full = static_cast<int>(share * width);
    const double left = share > 0.0 ? event.seconds / share - event.seconds : 0.0;
    const std::string line = fmt::format("\r{} [{:=<{}}{:>{}}] {}/{}  loss {:.3g}  {:.0f} s left ", event.stage, "",
                                         full, "", width - full, event.done, event.total, event.loss, left);
    std::fputs(line.c_str(), stderr);
  };
}

void ProgressBar::finish() noexcept {
  if (visible_) std::fputs("\r\033[K", stderr);
}

namespace {

/// Whether the path is a study or any other SQLite database, or one of the two files that SQLite keeps next to it.
bool holds_study(const std::filesystem::path& path) {
  constexpr std::string_view mark = "SQLite format 3";
  std::string name = path.string();
  for (const char* end : {"-wal", "-shm"}) {
    if (name.ends_with(end)) name.resize(name.size() - std::string_view(end).size());
  }
  // Opening a pipe would wait for someone to write into it.
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(name, unknown)) return false;
  std::array<char, mark.size()> begin{};
  std::ifstream file(name, std::ios::binary);
  return file.read(begin.data(), begin.size()) && std::string_view(begin.data(), begin.size()) == mark;
}

}  // namespace

void keep_private(const std::filesystem::path& out, const std::vector<std::filesystem::path>& inputs) {
  constexpr mode_t of_others = 0066;
  const mode_t closed = ~permissions_like(out, inputs) & of_others;
  const mode_t mask = ::umask(0);
  ::umask(mask | closed);
  withhold_from_replaced(closed);
}

namespace {

/// The files that were prepared so far.
std::vector<std::filesystem::path>& outputs() {
  static std::vector<std::filesystem::path> paths;
  return paths;
}

void require_apart(const std::filesystem::path& out, const std::vector<std::filesystem::path>& others) {
  for (const std::filesystem::path& other : others) {
    if (same_file(out, other)) {
      throw DataError("output",
                      fmt::format("'{}' is also used by another option and would be overwritten; choose another name",
                                  out.string()));
    }
  }
}

}  // namespace

void prepare_file(const std::filesystem::path& out, const std::vector<std::filesystem::path>& others) {
  if (out.empty()) throw DataError("output", "the name of a file to write is empty");
  require_apart(out, others);
  keep_private(out, others);
  if (holds_study(out)) {
    throw DataError("output",
                    fmt::format("'{}' holds a study and would be overwritten; choose another name", out.string()));
  }
  require_writable(out);
  outputs().push_back(out);
}

void keep_apart(const std::vector<std::filesystem::path>& inputs) {
  for (const std::filesystem::path& out : outputs()) {
    for (const std::filesystem::path& input : inputs) {
      std::error_code unknown;
      if (std::filesystem::equivalent(out, input, unknown))
        throw DataError("output", fmt::format("'{}' holds weights of the network and would be overwritten; choose "
                                              "another name",
                                              out.string()));
    }
    keep_private(out, inputs);
  }
}

void prepare_folder(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& others) {
  require_apart(folder, others);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    throw DataError("output", fmt::format("cannot write to the folder '{}': {}", folder.string(),
                                          error ? error.message() : std::string("permission denied")));
  }
}

}  // namespace nomu::cli
