// The tables of a program on the device, and how its phases are cut into tiles.

#include <algorithm>

#include "engine/cuda/program.hpp"

namespace nomu::engine::cuda {
namespace {

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

/// Tiles of all jobs of a phase.
template <class RowsOf, class UnitsOf>
std::vector<Tile> phase_tiles(const std::vector<std::uint32_t>& jobs, TileShape shape, const RowsOf& rows,
                              const UnitsOf& units) {
  std::vector<Tile> tiles;
  for (const std::uint32_t job : jobs) {
    for (std::uint32_t n = 0; n < rows(job); n += shape.rows) {
      for (std::uint32_t m = 0; m < units(job); m += shape.units) tiles.push_back({job, m, n, false});
    }
  }
  return tiles;
}

}  // namespace

DeviceProgram::DeviceProgram(const Program& program, const StepSize& size, std::uint32_t members,
                             std::uint32_t processors, Precision precision)
    : workspace_(program.workspace),
      x_(program.x),
      input_ld_(program.input_ld),
      trainable_tiles_(program.trainable_tiles),
      turned_(std::any_of(program.update.begin(), program.update.end(),
                          [](const UpdateJob& job) { return job.turned_ld != 0; })),
      segments_(program.segments),
      terms_(program.terms),
      forward_(program.forward),
      backward_(program.backward),
      update_(program.update),
      layer_norms_(program.layer_norms),
      outputs_(program.outputs),
      update_tiles_(program.update_tiles) {
  std::vector<Tile> all;
  const auto add = [&](const std::vector<std::vector<std::uint32_t>>& phases, std::vector<TileList>& lists,
                       const auto& rows, const auto& units) {
    const auto add_list = [&](TileSize tile_size, const std::vector<std::uint32_t>& jobs) {
      const std::vector<Tile> tiles = phase_tiles(jobs, tile_shape(tile_size, precision), rows, units);
      if (tiles.empty()) return;
      lists.push_back({nullptr, narrow(tiles.size()), tile_size});
      all.insert(all.end(), tiles.begin(), tiles.end());
    };
    for (const std::vector<std::uint32_t>& jobs : phases) {
      // Small tiles where large ones would leave processors without work, then all in one launch.
      if (phase_tiles(jobs, tile_shape(TileSize::large, precision), rows, units).size() * members <
          std::size_t{2} * processors) {
        add_list(TileSize::small, jobs);
        continue;
      }
      std::vector<std::uint32_t> few;
      std::vector<std::uint32_t> many;
      for (const std::uint32_t job : jobs) {
        (rows(job) <= tile_shape(TileSize::narrow, precision).rows ? few : many).push_back(job);
      }
      add_list(TileSize::large, many);
      add_list(TileSize::narrow, few);
    }
  };
  add(
      program.forward_phases, forward_lists_, [&](std::uint32_t) { return size.rows; },
      [&](std::uint32_t j) { return program.forward[j].units; });
  add(
      program.backward_phases, backward_lists_,
      [&](std::uint32_t j) { return program.backward[j].data_rows_only ? size.data_rows : size.rows; },
      [&](std::uint32_t j) { return program.backward[j].units; });
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
  view.update = update_.data();
  view.layer_norms = layer_norms_.data();
  view.output = outputs_.data();
  view.tiles = update_tiles_.data();
}

}  // namespace nomu::engine::cuda
