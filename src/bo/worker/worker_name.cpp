#include "bo/worker/worker_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

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

}  // namespace

std::string worker_name() {
  const std::string pid = fmt::format("{}", getpid());
  return fmt::format("run:{}:{}:{}:{}", host(), pid, start_of(pid), gettid());
}

bool is_worker(const std::string& worker) { return worker.starts_with("run:"); }

bool is_gone(const std::string& worker) {
  std::istringstream parts(worker);
  std::string kind;
  std::string where;
  std::string pid;
  std::string start;
  std::getline(parts, kind, ':');
  std::getline(parts, where, ':');
  std::getline(parts, pid, ':');
  std::getline(parts, start, ':');
  return kind == "run" && where == host() && start_of(pid) != start;
}

}  // namespace nomu
