#include "engine/cpu/program.hpp"

#include <algorithm>

namespace nomu::engine::cpu {
namespace {

/// Phase of each layer's forward pass: one after the last of its sources.
std::vector<std::size_t> forward_levels(const Layout& layout) {
  std::vector<std::size_t> level(layout.layers.size(), 0);
  for (std::size_t l = 0; l < level.size(); ++l) {
    for (const Feed& feed : layout.layers[l].feeds) {
      if (feed.source != input_layer) level[l] = std::max(level[l], level[feed.source] + 1);
    }
  }
  return level;
}

/// Phase in which a source is worked on: the one after the last of its consumers gets its deltas. The input comes last.
std::vector<std::size_t> backward_levels(const Layout& layout) {
  const std::size_t layers = layout.layers.size();
  std::vector<std::size_t> level(layers + 1, 0);
  const auto after_consumers = [&](const std::vector<Consumer>& consumers) {
    std::size_t latest = 0;
    for (const Consumer& c : consumers) latest = std::max(latest, level[c.layer] + 1);
    return latest;
  };
  for (std::size_t l = layers; l-- > 0;) level[l] = after_consumers(layout.consumers(l));
  level[layers] = after_consumers(layout.consumers(input_layer));
  return level;
}

/// The layers that read a source through dense weights; convolutions are handled separately.
std::vector<Consumer> dense_consumers(const Layout& layout, std::size_t source) {
  std::vector<Consumer> found = layout.consumers(source);
  std::erase_if(found, [&](const Consumer& c) { return layout.layers[c.layer].convolution.has_value(); });
  return found;
}

/// Whether there is anything to do for a source: a delta to gather or a weight row to update.
bool has_work(const TrainPlan& plan, const Program& program, std::size_t source) {
  const bool delta = source != input_layer && program.layout.layers[source].needs_delta;
  return delta ||
         std::any_of(program.consumers_of(source).begin(), program.consumers_of(source).end(), [&](const Consumer& c) {
           return plan.networks.nets[program.layout.layers[c.layer].net].trainable;
         });
}

void add_tiles(const TrainPlan& plan, Program& program, std::size_t source, BackwardPhase& phase) {
  if (program.consumers_of(source).empty()) return;
  const bool work = has_work(plan, program, source);
  const std::size_t units = source == input_layer ? program.layout.inputs : program.layout.layers[source].units;
  const std::size_t width = unit_tile(units);
  for (std::size_t first = 0; first < units; first += width) {
    UnitTile tile{.source = source, .first = first, .width = std::min(width, units - first), .slots = {}};
    for (const Consumer& c : program.consumers_of(source)) {
      program.squares[c.layer].push_back(program.slots);
      tile.slots.push_back(program.slots++);
    }
    if (work) phase.tiles.push_back(program.tiles.size());
    program.tiles.push_back(std::move(tile));
  }
}

}  // namespace

std::size_t gradient_rows(std::size_t width) { return std::max<std::size_t>(1, 65536 / width); }

std::size_t row_tile(std::size_t rows) {
  constexpr std::size_t most = 768;
  const std::size_t parts = (rows + most - 1) / most;
  return ((rows + parts - 1) / parts + 15) / 16 * 16;
}

std::size_t row_parts(std::size_t rows) { return (rows + row_tile(rows) - 1) / row_tile(rows); }

Program make_program(const TrainPlan& plan) {
  Program program{.layout = make_layout(plan.networks, plan.loss.kind),
                  .consumers = {},
                  .forward = {},
                  .convolutions = {},
                  .heads = {},
                  .tiles = {},
                  .backward = {},
                  .squares = {},
                  .bias_slot = {},
                  .slots = 0};
  const std::vector<Layer>& layers = program.layout.layers;
  for (std::size_t l = 0; l < layers.size(); ++l) program.consumers.push_back(dense_consumers(program.layout, l));
  program.consumers.push_back(dense_consumers(program.layout, input_layer));

  const std::vector<std::size_t> forward = forward_levels(program.layout);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (layers[l].head) {
      program.heads.push_back(l);
      continue;
    }
    program.forward.resize(std::max(program.forward.size(), forward[l] + 1));
    program.convolutions.resize(program.forward.size());
    if (layers[l].convolution) {
      program.convolutions[forward[l]].push_back(l);
      continue;
    }
    const std::size_t width = column_tile(layers[l].units);
    for (std::size_t first = 0; first < layers[l].units; first += width) {
      program.forward[forward[l]].push_back({l, first, std::min(width, layers[l].units - first)});
    }
  }

  program.squares.resize(layers.size());
  const std::vector<std::size_t> backward = backward_levels(program.layout);
  program.backward.resize(*std::max_element(backward.begin(), backward.end()));
  for (std::size_t l = 0; l < layers.size(); ++l) {
    program.bias_slot.push_back(program.slots);
    program.squares[l].push_back(program.slots++);
    if (!layers[l].convolution) {
      program.backward[backward[l]].ready.push_back(l);
    } else {
      if (layers[l].needs_delta) program.backward[backward[l]].convolutions.push_back(l);
      program.squares[l].push_back(program.slots++);
    }
    if (!layers[l].head) add_tiles(plan, program, l, program.backward[backward[l] - 1]);
  }
  add_tiles(plan, program, input_layer, program.backward[backward.back() - 1]);
  // Tiles of one net may be much more work than those of another: next to each other they make even shares.
  for (BackwardPhase& phase : program.backward) {
    std::ranges::stable_sort(phase.tiles, {}, [&](std::size_t t) { return program.tiles[t].first; });
  }
  return program;
}

}  // namespace nomu::engine::cpu
