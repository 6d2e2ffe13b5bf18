#include "engine/cpu/crews.hpp"

#include <algorithm>
#include <limits>

namespace nomu::engine::cpu {
namespace {

// Rough figures of one core; docs/performance.md has the measurements behind them. What matters is whether the work
// between two barriers is long or short compared with a barrier, which is mostly clear.
constexpr double flops_per_second = 50e9;
constexpr double bytes_per_second = 12e9;
constexpr double bytes_per_parameter = 24.0;  // weight and two moments, read and written
constexpr double meeting_seconds = 10e-6;
constexpr double least_efficiency = 0.5;  // share of the threads' time that is work
constexpr double seconds_worth_a_thread = 20e-6;

double product_seconds(std::size_t rows, std::size_t inputs, std::size_t outputs) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(inputs * outputs) / flops_per_second;
}

double state_seconds(std::size_t parameters) {
  return static_cast<double>(parameters) * bytes_per_parameter / bytes_per_second;
}

/// Seconds of a step on `threads` that work on it together.
double seconds_on(std::size_t threads, const StepCost& cost) {
  double sum = 0.0;
  for (const PhaseCost& phase : cost) {
    if (threads == 1) {
      sum += phase.all;
    } else {
      sum += std::max(phase.all / static_cast<double>(threads), phase.largest) + meeting_seconds;
    }
  }
  return sum;
}

double convolution_seconds(const Layer& layer, std::size_t rows) {
  return product_seconds(rows * layer.convolution->map.pixels(), layer.fan_in(), layer.columns());
}

PhaseCost forward_cost(const Program& program, std::size_t phase, std::size_t rows) {
  PhaseCost cost;
  for (const ColumnTile& tile : program.forward[phase]) {
    for (std::size_t part = 0; part < row_parts(rows); ++part)
      cost.add(product_seconds(std::min(rows, row_tile(rows)), program.layout.layers[tile.layer].fan_in(), tile.width));
  }
  for (const std::size_t layer : program.convolutions[phase]) {
    for (std::size_t block = 0; block < convolution_blocks(rows); ++block)
      cost.add(convolution_seconds(program.layout.layers[layer], convolution_rows));
  }
  return cost;
}

PhaseCost backward_cost(const TrainPlan& plan, const Program& program, const BackwardPhase& phase, std::size_t rows) {
  PhaseCost cost;
  for (const std::size_t t : phase.tiles) {
    const UnitTile& tile = program.tiles[t];
    double seconds = 0.0;
    for (const Consumer& consumer : program.consumers_of(tile.source)) {
      const Layer& layer = program.layout.layers[consumer.layer];
      if (!layer.needs_delta) continue;
      const std::size_t used_rows = layer.on_augmented ? rows : rows - plan.augment.count;
      const double product = product_seconds(used_rows, tile.width, layer.units);
      const bool trained = plan.networks.nets[layer.net].trainable;
      const bool carried = layer.feeds[consumer.feed].carries && tile.source != input_layer &&
                           program.layout.layers[tile.source].needs_delta;
      seconds += (trained ? product + state_seconds(tile.width * layer.units) : 0.0) + (carried ? product : 0.0);
    }
    cost.add(seconds);
  }
  for (const std::size_t layer : phase.convolutions) {
    for (std::size_t block = 0; block < convolution_blocks(rows); ++block)
      cost.add(2.0 * convolution_seconds(program.layout.layers[layer], convolution_rows));
  }
  return cost;
}

}  // namespace

StepCost step_cost(const TrainPlan& plan, const Program& program, std::size_t rows) {
  StepCost cost;
  for (std::size_t phase = 0; phase < program.forward.size(); ++phase)
    cost.push_back(forward_cost(program, phase, rows));
  PhaseCost heads;
  for (const std::size_t head : program.heads)
    heads.add(product_seconds(rows, program.layout.layers[head].fan_in(), program.layout.layers[head].units));
  cost.push_back(heads);
  for (const BackwardPhase& phase : program.backward) cost.push_back(backward_cost(plan, program, phase, rows));
  return cost;
}

Crews divide(std::size_t members, std::size_t threads, const StepCost& cost) {
  Crews best{.count = 1, .threads = 1};
  double shortest = std::numeric_limits<double>::infinity();
  // Of equally fast divisions the one with most crews, and then with fewest threads: crews do not wait for each other.
  for (std::size_t crews = std::min(members, threads); crews > 0; --crews) {
    for (std::size_t size = 1; size <= threads / crews; ++size) {
      const double step = seconds_on(size, cost);
      if (seconds_on(1, cost) < least_efficiency * static_cast<double>(size) * step) break;
      const double time = static_cast<double>(members) / static_cast<double>(crews) * step;
      if (time >= 0.95 * shortest) continue;
      shortest = time;
      best = {.count = crews, .threads = size};
    }
  }
  return best;
}

std::size_t threads_for(double flops) {
  return 1 + static_cast<std::size_t>(flops / flops_per_second / seconds_worth_a_thread);
}

}  // namespace nomu::engine::cpu
