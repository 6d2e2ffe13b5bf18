#include "bo/worker/worker_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "nomu/bo/worker.hpp"

namespace nomu {
namespace {

/// Start time of a process in ticks since boot; empty if there is no such process.
std::string start_of(const std::string& pid) {
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

struct NameParts {
  std::string host;
  std::string pid;
  std::string start;
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
  return parts;
}

}  // namespace

std::string worker_name() {
  const std::string pid = fmt::format("{}", getpid());
  return fmt::format("run:{}:{}:{}:{}", host(), pid, start_of(pid), gettid());
}

std::string worker_host(const std::string& name) { return parts_of(name).value_or(NameParts{}).host; }

bool is_worker(const std::string& worker) { return worker.starts_with("run:"); }

bool is_gone(const std::string& worker) {
  const std::optional<NameParts> parts = parts_of(worker);
  return parts && parts->host == host() && start_of(parts->pid) != parts->start;
}

}  // namespace nomu
