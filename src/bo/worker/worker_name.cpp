#include "bo/worker/worker_name.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>

#include "nomu/bo/worker.hpp"

namespace nomu {
namespace {

/// Start time of a process in ticks since boot; empty if there is no such process.
std::string start_of(const std::string& pid) {
  // The number may come from a stranger's study, and becomes part of a path.
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (pid.empty() || pid.size() > 20 || !std::all_of(pid.begin(), pid.end(), digit)) return {};
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  if (!std::getline(file, text)) return {};
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 2, text.size())));
  std::string word;
  for (int field = 3; field <= 22; ++field) rest >> word;
  return word;
}

std::string host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Where numbers of processes mean what they mean here: the boot of the machine, and the namespace.
std::string numbered_where() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  struct stat numbers {};
  if (boot.empty() || ::stat("/proc/self/ns/pid", &numbers) != 0) return {};
  return fmt::format("{}.{}", boot.substr(0, boot.find('-')), static_cast<std::uint64_t>(numbers.st_ino));
}

struct NameParts {
  std::string host;
  std::string pid;
  std::string start;
  std::string thread;
  std::string where;  // empty in names from before they said so
};

/// Of a name that `worker_name` made; none of any other.
std::optional<NameParts> parts_of(const std::string& name) {
  std::istringstream text(name);
  std::string kind;
  NameParts parts;
  std::getline(text, kind, ':');
  if (kind != "run") return {};
  std::getline(text, parts.host, ':');
  std::getline(text, parts.pid, ':');
  std::getline(text, parts.start, ':');
  std::getline(text, parts.thread, ':');
  std::getline(text, parts.where, ':');
  return parts;
}

}  // namespace

std::string worker_name() {
  const std::string pid = fmt::format("{}", getpid());
  return fmt::format("run:{}:{}:{}:{}:{}", host(), pid, start_of(pid), gettid(), numbered_where());
}

std::string worker_host(const std::string& name) { return parts_of(name).value_or(NameParts{}).host; }

bool is_worker(const std::string& worker) { return parts_of(worker).has_value(); }

bool is_gone(const std::string& worker) {
  const std::optional<NameParts> parts = parts_of(worker);
  if (!parts || parts->host != host()) return false;
  if (!parts->where.empty() && parts->where != numbered_where()) return false;
  return start_of(parts->pid) != parts->start;
}

}  // namespace nomu
