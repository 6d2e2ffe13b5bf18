#include "bo/worker/live_processes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace nomu {

std::vector<LiveProcess> live_processes() {
  std::vector<LiveProcess> all;
  std::error_code none;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator entry("/proc", none); !none && entry != end; entry.increment(none)) {
    LiveProcess process{.id = static_cast<pid_t>(std::atoi(entry->path().filename().c_str()))};
    if (process.id <= 0) continue;
    std::ifstream file(entry->path() / "stat");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t name_end = text.rfind(") ");  // the name may hold anything
    if (name_end == std::string::npos) continue;
    std::istringstream fields(text.substr(name_end + 2));
    char state = 'Z';
    fields >> state >> process.parent >> process.group >> process.session;
    if (fields && state != 'Z' && state != 'X') all.push_back(process);
  }
  return all;
}

}  // namespace nomu
