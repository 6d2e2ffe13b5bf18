#include "engine/preflight.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "core/cores.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine {
namespace {

/// The number after `key` in a file of "key: value kB" lines; 0 if there is none.
std::size_t kilobytes_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  std::size_t value = 0;
  std::string unit;
  while (file >> name >> value) {
    std::getline(file, unit);
    if (name == key) return value * 1024;
  }
  return 0;
}

/// Control groups: the limit minus what is in use; unlimited if the file is missing or says "max".
std::size_t control_group_room() {
  std::size_t limit = 0;
  std::size_t used = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> limit;
  std::ifstream("/sys/fs/cgroup/memory.current") >> used;
  if (limit == 0) return std::numeric_limits<std::size_t>::max();
  return limit > used ? limit - used : 0;
}

}  // namespace

std::size_t available_memory() {
  std::size_t free = kilobytes_of("/proc/meminfo", "MemAvailable:");
  if (free == 0)
    free = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::min(free, control_group_room());
}

std::string bytes_text(std::size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 1e12) return fmt::format("{:.1f} TB", value / 1e12);
  if (value >= 1e9) return fmt::format("{:.1f} GB", value / 1e9);
  return fmt::format("{:.1f} MB", value / 1e6);
}

std::size_t thread_count(const EngineOptions& options, std::string_view engine) {
  if (options.threads < 0 || options.threads > 1024) {
    throw ConfigError(engine, fmt::format("threads must be between 0 (all) and 1024, got {}", options.threads));
  }
  const std::size_t cores = usable_cores();
  return options.threads == 0 ? cores : std::min(cores, static_cast<std::size_t>(options.threads));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

void require_memory(std::size_t bytes, std::size_t members, std::string_view engine) {
  require_room(bytes, available_memory(), members, engine);
}

void require_room(std::size_t bytes, std::size_t room, std::size_t members, std::string_view engine) {
  if (bytes <= room) return;
  throw DeviceError(
      fmt::format("engine/{}", engine),
      fmt::format(
          "training {} member{} needs {} of memory but {} are free; use smaller networks or fewer members at a time",
          members, members == 1 ? "" : "s", bytes_text(bytes), bytes_text(room)));
}

void check_start(const TrainPlan& plan, const Layout& layout) {
  if (plan.start.empty()) return;
  if (plan.start.members() != plan.members() || plan.start.rows() != 1 || plan.start.cols() != layout.parameters) {
    throw ConfigError("engine/plan",
                      fmt::format("the start needs [{}][1][{}] parameters, got [{}][{}][{}]", plan.members(),
                                  layout.parameters, plan.start.members(), plan.start.rows(), plan.start.cols()));
  }
}

void check_state(const TrainState& state, std::size_t members, std::size_t parameters) {
  const auto fits = [&](const Tensor<float>& t) {
    return t.members() == members && t.rows() == 1 && t.cols() == parameters;
  };
  const bool complete = fits(state.parameters) && fits(state.first_moment) && fits(state.second_moment) &&
                        (state.largest_moment.empty() || fits(state.largest_moment)) &&
                        (state.best_parameters.empty() || fits(state.best_parameters)) &&
                        state.steps.size() == members && state.reports.size() == members;
  if (!complete) {
    throw ConfigError(
        "engine/session",
        fmt::format("the saved state does not fit a plan of {} members with {} parameters", members, parameters));
  }
}

void refuse_convolutions(const Networks& networks, std::string_view engine) {
  for (const Net& net : networks.nets) {
    if (net.front.windows.empty()) continue;
    throw ConfigError(fmt::format("engine/{}", engine), "convolutions run on the CPU only; use --device cpu");
  }
}

void check_rows(const Networks& networks, std::size_t members, const Tensor<float>& x) {
  if (x.cols() == networks.inputs && (x.members() == 1 || x.members() == members)) return;
  throw ConfigError("engine/predict", fmt::format("x must be [1 or {}][q][{}], got [{}][{}][{}]", members,
                                                  networks.inputs, x.members(), x.rows(), x.cols()));
}

Layout checked_layout(const Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x,
                      bool shared_rows) {
  check(networks);
  Layout layout = make_layout(networks, LossKind::squared_error);
  if (parameters.rows() != 1 || parameters.cols() != layout.parameters) {
    throw ConfigError("engine/predict", fmt::format("the networks have {} parameters per member, got {}",
                                                    layout.parameters, parameters.cols()));
  }
  const bool shared = shared_rows && x.members() > 0 && parameters.members() % x.members() == 0;
  check_rows(networks, shared ? x.members() : parameters.members(), x);
  return layout;
}

std::vector<float> start_parameters(const TrainPlan& plan, const Layout& layout, std::size_t member) {
  if (!plan.start.empty()) {
    const auto given = plan.start.member(member);
    return {given.begin(), given.end()};
  }
  std::vector<float> values(layout.parameters);
  initialise(plan.networks, layout, plan.seeds[member], values.data());
  return values;
}

}  // namespace nomu::engine
