#include "paper/kinds/loop_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/loop";

[[noreturn]] void refuse(const std::filesystem::path& file) {
  throw DataError(where, fmt::format("'{}' does not hold the first steps of these runs; delete it to start them anew",
                                     file.string()));
}

LoopTrace trace_of(const nlohmann::json& one) {
  return {.points = one.at("points").get<std::vector<double>>(),
          .values = one.at("values").get<std::vector<double>>(),
          .c = one.at("c").get<double>(),
          .doublings = one.at("doublings").get<std::vector<std::int64_t>>(),
          .diverged = one.at("diverged").get<std::int64_t>()};
}

}  // namespace

void write_traces(const std::filesystem::path& file, std::span<const LoopTrace> traces) {
  nlohmann::json all = nlohmann::json::array();
  for (const LoopTrace& trace : traces) {
    all.push_back({{"points", trace.points},
                   {"values", trace.values},
                   {"c", trace.c},
                   {"doublings", trace.doublings},
                   {"diverged", trace.diverged}});
  }
  std::error_code ignored;  // writing says what is wrong with the folder
  std::filesystem::create_directories(file.parent_path(), ignored);
  write_file_atomically(file, all.dump());
}

std::vector<LoopTrace> read_traces(const std::filesystem::path& file, std::span<const LoopRun> runs,
                                   std::size_t dimension) {
  if (!std::filesystem::exists(file)) return {};
  const nlohmann::json all = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!all.is_array() || all.size() != runs.size()) refuse(file);
  std::vector<LoopTrace> traces;
  try {
    for (const nlohmann::json& one : all) traces.push_back(trace_of(one));
  } catch (const nlohmann::json::exception&) {
    refuse(file);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const LoopTrace& trace = traces[r];
    const std::vector<double>& initial = runs[r].initial;
    const bool begins_with_initial =
        trace.points.size() >= initial.size() && std::equal(initial.begin(), initial.end(), trace.points.begin());
    if (!begins_with_initial || trace.values.size() != traces[0].values.size() ||
        trace.points.size() != trace.values.size() * dimension) {
      refuse(file);
    }
  }
  return traces;
}

}  // namespace nomu
