#include "engine/scaling.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/scaling_rows.hpp"
#include "nomu/core/error.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

using Engines = std::vector<std::shared_ptr<Engine>>;

/// Engines of 1, 2, 4, ... threads.
Engines engines_up_to(const EngineOptions& limit) {
  const std::int64_t most = make_engine(limit)->info().threads;
  Engines engines;
  for (std::int64_t threads = 1; threads <= most; threads = threads < most ? std::min(2 * threads, most) : most + 1) {
    EngineOptions options = limit;
    options.threads = threads;
    engines.push_back(make_engine(options));
  }
  return engines;
}

std::vector<ScalingRow> chosen_rows(const std::string& text) {
  std::vector<ScalingRow> rows = scaling_rows();
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const ScalingRow& row : rows) names.push_back(row.name);
  std::erase_if(rows, [&](const ScalingRow& row) { return row.name.find(text) == std::string::npos; });
  if (rows.empty())
    throw ConfigError("bench",
                      fmt::format("--only '{}' matches no row; the rows are: {}", text, fmt::join(names, "; ")));
  return rows;
}

double median_of_three(const ScalingRow& row, const std::shared_ptr<Engine>& engine) {
  std::array<double, 3> times{};
  for (double& time : times) time = row.measure(engine);
  std::ranges::sort(times);
  return times[1];
}

/// One line of the table, number by number as they come.
class Line {
 public:
  Line(const std::string& name, const std::string& unit, bool json)
      : known_{{"row", name}, {"unit", unit}}, json_(json) {
    if (!json_) print("{:<36}", fmt::format("{} [{}]", name, unit));
  }

  void add(const EngineInfo& info, double time) {
    if (!json_) return print(" {:>9.4g}", time);
    nlohmann::json line = known_;
    line.update({{"threads", info.threads}, {"time", time}, {"device", info.device}});
    if (!known_.contains("peer")) line.update({{"provider", info.provider}, {"isa", info.isa}});
    print_json(line);
  }

  /// Instead of numbers.
  void give_up(const std::string& reason) {
    if (!json_) return print(" {}", reason);
    nlohmann::json line = known_;
    line["skipped"] = reason;
    print_json(line);
  }

  void of_peer(const std::string& name) { known_["peer"] = name; }
  void end() const {
    if (!json_) print("\n");
  }

 private:
  nlohmann::json known_;
  bool json_;
};

void print_peer(const ScalingRow& row, const Peer& peer, const PeerPrograms& programs, const Engines& engines,
                bool json) {
  Line line(json ? row.name : fmt::format("  {}", peer.name), row.unit, json);
  line.of_peer(peer.name);
  for (const auto& engine : engines) {
    if (HeedInterrupts::token().stop_requested()) throw Cancelled("bench", "stopped on request");
    const PeerTime time = measure(peer, programs, row.benchmark, engine->info().threads);
    if (!time.trouble.empty()) {
      line.give_up(fmt::format("skipped: {}", time.trouble));
      break;
    }
    line.add(engine->info(), time.us_per_network_step);
  }
  line.end();
}

}  // namespace

void print_scaling(const ScalingOptions& options) {
  if (options.peers) check_programs(*options.peers);
  const std::vector<ScalingRow> rows = chosen_rows(options.only);
  const Engines engines = engines_up_to(options.limit);
  const EngineInfo info = engines.back()->info();
  if (!options.json) {
    print("{}, {} {}; medians of three\n{:<36}", info.device, info.provider, info.isa, "threads");
    for (const auto& engine : engines) print(" {:>9}", engine->info().threads);
    print("\n");
  }
  for (const ScalingRow& row : rows) {
    Line line(row.name, row.unit, options.json);
    for (const auto& engine : engines) line.add(engine->info(), median_of_three(row, engine));
    line.end();
    if (!options.peers || row.benchmark.empty()) continue;
    for (const Peer& peer : peers()) print_peer(row, peer, *options.peers, engines, options.json);
  }
}

}  // namespace nomu::cli
