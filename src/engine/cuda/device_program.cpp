// The tables of a program on the device, and how its phases are cut into tiles.

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "engine/cuda/program.hpp"

namespace nomu::engine::cuda {
namespace {

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

/// What the choice of tiles needs to know of a phase's jobs.
struct PhaseJob {
  std::uint32_t job, rows, units;
};
using Phase = std::vector<PhaseJob>;

std::vector<Tile> tiles_of(const Phase& phase, TileShape shape) {
  std::vector<Tile> tiles;
  for (const PhaseJob& job : phase) {
    for (std::uint32_t n = 0; n < job.rows; n += shape.rows) {
      for (std::uint32_t m = 0; m < job.units; m += shape.units) tiles.push_back({job.job, m, n, false});
    }
  }
  return tiles;
}

/// Jobs that are cut in the same way, in one launch.
struct CutPhase {
  Phase jobs;
  TileSize size;
};

/// Products are bound by the reads of their factors: those of the busiest processor, in rows and units.
std::size_t cost(const std::vector<CutPhase>& cut, std::size_t members, std::size_t processors, Precision precision) {
  std::size_t sum = 0;
  for (const CutPhase& part : cut) {
    const TileShape shape = tile_shape(part.size, precision);
    const std::size_t tiles = tiles_of(part.jobs, shape).size() * members;
    sum += (tiles + processors - 1) / processors * (shape.rows + shape.units);
  }
  return sum;
}

/// The cheapest way to cut a phase: all jobs in the same way, or those with few rows separately.
std::vector<CutPhase> best_cut(const Phase& phase, std::size_t members, std::size_t processors, Precision precision) {
  std::vector<CutPhase> apart{{{}, TileSize::large}, {{}, TileSize::narrow}};
  for (const PhaseJob& job : phase) {
    const bool few = job.rows <= tile_shape(TileSize::narrow, precision).rows;
    apart[few ? 1 : 0].jobs.push_back(job);
  }
  std::vector<CutPhase> best = apart;
  for (const TileSize size : tile_sizes(precision)) {
    const std::vector<CutPhase> alike{{phase, size}};
    if (cost(alike, members, processors, precision) < cost(best, members, processors, precision)) best = alike;
  }
  return best;
}

/// Below this number of update tiles per processor, the last ones matter for the running time.
constexpr std::size_t few_tiles = 16;

/// The order in which the tiles of the update are started. With few members, the longest tiles go first, so that all
/// processors end at about the same time. With many, kinds of tiles alternate, because they wait for different things.
std::vector<std::uint32_t> update_order(const Program& program, const StepSize& size, bool few_members) {
  std::map<std::pair<bool, std::uint32_t>, std::vector<std::uint32_t>, std::greater<>> kinds;
  for (std::uint32_t index = 0; index < program.trainable_tiles; ++index) {
    const Tile& tile = program.update_tiles[index];
    const UpdateJob& job = program.update[tile.job];
    const bool full = tile.m + update_tile.units <= job.inputs && tile.n + update_tile.rows <= job.units;
    kinds[{full, job.data_rows_only ? size.data_rows : size.rows}].push_back(index);
  }
  std::vector<std::pair<double, std::uint32_t>> places;
  double begin = 0.0;
  for (const auto& [kind, tiles] : kinds) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      places.emplace_back(begin + (static_cast<double>(i) + 0.5) / static_cast<double>(tiles.size()), tiles[i]);
    }
    if (few_members) begin += 1.0;
  }
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> order;
  order.reserve(places.size());
  for (const auto& [place, index] : places) order.push_back(index);
  return order;
}

}  // namespace

DeviceProgram::DeviceProgram(const Program& program, const StepSize& size, std::uint32_t members,
                             std::uint32_t processors, Precision precision)
    : workspace_(program.workspace),
      x_(program.x),
      input_ld_(program.input_ld),
      trainable_tiles_(program.trainable_tiles),
      transposed_(std::any_of(program.update.begin(), program.update.end(),
                              [](const UpdateJob& job) { return job.transposed_ld != 0; })),
      segments_(program.segments),
      terms_(program.terms),
      forward_(program.forward),
      backward_(program.backward),
      update_(program.update),
      layer_norms_(program.layer_norms),
      outputs_(program.outputs),
      update_tiles_(program.update_tiles),
      update_order_(
          update_order(program, size, std::size_t{members} * program.trainable_tiles < few_tiles * processors)) {
  std::vector<Tile> all;
  const auto add = [&](std::span<const std::vector<std::uint32_t>> phases, std::vector<TileList>& lists,
                       const auto& describe_job) {
    for (const std::vector<std::uint32_t>& jobs : phases) {
      Phase phase;
      for (const std::uint32_t job : jobs) phase.push_back(describe_job(job));
      for (const CutPhase& part : best_cut(phase, members, processors, precision)) {
        const std::vector<Tile> tiles = tiles_of(part.jobs, tile_shape(part.size, precision));
        if (tiles.empty()) continue;
        lists.push_back({nullptr, narrow(tiles.size()), part.size});
        all.insert(all.end(), tiles.begin(), tiles.end());
      }
    }
  };
  add(program.forward_phases, forward_lists_, [&](std::uint32_t job) {
    return PhaseJob{job, size.rows, program.forward[job].units};
  });
  // The first ones have no products: the kernel of the losses writes them.
  const std::size_t without = std::min<std::size_t>(1, program.backward_phases.size());
  if (without > 0) top_ = DeviceArray<std::uint32_t>(program.backward_phases.front());
  add(std::span(program.backward_phases).subspan(without), backward_lists_, [&](std::uint32_t job) {
    const std::uint32_t rows = program.backward[job].data_rows_only ? size.data_rows : size.rows;
    return PhaseJob{job, rows, program.backward[job].units};
  });
  phase_tiles_ = DeviceArray<Tile>(all);
  const Tile* next = phase_tiles_.data();
  for (std::vector<TileList>* lists : {&forward_lists_, &backward_lists_}) {
    for (TileList& list : *lists) {
      list.tiles = next;
      next += list.count;
    }
  }
}

void DeviceProgram::describe(View& view) const {
  view.workspace = workspace_;
  view.x = x_;
  view.input_ld = input_ld_;
  view.forward_jobs = narrow(forward_.size());
  view.backward_jobs = narrow(backward_.size());
  view.update_jobs = narrow(update_.size());
  view.update_tiles = narrow(update_tiles_.size());
  view.segments = segments_.data();
  view.terms = terms_.data();
  view.forward = forward_.data();
  view.backward = backward_.data();
  view.top = top_.data();
  view.tops = narrow(top_.size());
  view.update = update_.data();
  view.layer_norms = layer_norms_.data();
  view.output = outputs_.data();
  view.tiles = update_tiles_.data();
  view.update_order = update_order_.data();
}

}  // namespace nomu::engine::cuda
