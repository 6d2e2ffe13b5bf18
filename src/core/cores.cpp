#include "core/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace nomu {
namespace {

namespace fs = std::filesystem;

std::size_t cores_of(double quota, double period) {
  if (!(quota > 0.0) || !(period > 0.0)) return unlimited;
  return static_cast<std::size_t>(std::max(1.0, std::ceil(quota / period)));
}

/// Version 2 has both numbers in one file, "max" or "200000 100000"; version 1 has two, and -1 for no limit.
std::size_t quota_of(const fs::path& group) {
  double quota = 0.0;
  double period = 0.0;
  if (std::ifstream(group / "cpu.max") >> quota >> period) return cores_of(quota, period);
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return cores_of(quota, period);
}

/// The least of a group and the groups around it, up to where they are mounted.
std::size_t least_quota(const fs::path& mounted, const fs::path& group) {
  std::size_t least = quota_of(mounted);
  fs::path at = mounted;
  for (const fs::path& part : group.relative_path()) least = std::min(least, quota_of(at /= part));
  return least;
}

}  // namespace

std::size_t granted_cores(const std::string& groups, const fs::path& mounted) {
  // Inside a container the group itself is often mounted where the root would be.
  std::size_t least = std::min(quota_of(mounted), quota_of(mounted / "cpu"));
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    // number:controllers:path, the controllers being empty in version 2
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min({least, least_quota(mounted, path), least_quota(mounted / "unified", path)});
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      least = std::min({least, least_quota(mounted / controllers, path), least_quota(mounted / "cpu", path)});
    }
  }
  return least;
}

std::size_t usable_cores() {
  std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = static_cast<std::size_t>(std::max(CPU_COUNT(&set), 1));
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return std::min(cores, granted_cores(groups, "/sys/fs/cgroup"));
}

}  // namespace nomu
