#include "engine/cpu/crews.hpp"

#include <algorithm>
#include <limits>

namespace nomu::engine::cpu {
namespace {

// Rough figures of one core; docs/performance.md has the measurements behind them. What matters is whether the work
// between two meetings is long or short compared with a meeting, which is mostly clear.
constexpr double flops_per_second = 50e9;
constexpr double bytes_per_second = 12e9;
constexpr double bytes_per_parameter = 24.0;  // weight and two moments, read and written
constexpr double meeting_seconds = 3e-6;
constexpr double seconds_worth_a_thread = 20e-6;

/// Steps per second of a member on `threads`, relative to one thread.
double speedup(std::size_t threads, const StepCost& cost) {
  if (threads == 1) return 1.0;
  const std::size_t rounds = (cost.pieces + threads - 1) / threads;
  const double work = cost.seconds * static_cast<double>(rounds) / static_cast<double>(cost.pieces);
  return cost.seconds / (work + static_cast<double>(cost.meetings) * meeting_seconds);
}

}  // namespace

StepCost step_cost(const TrainPlan& plan, const Program& program, std::size_t rows) {
  const double flops = flops_per_step(program.layout, rows, 0, plan.networks);
  const double state = static_cast<double>(program.layout.parameters) * bytes_per_parameter;
  StepCost cost{.seconds = flops / flops_per_second + state / bytes_per_second,
                .meetings = program.forward.size() + 1 + program.backward.size(),
                .pieces = 1};
  for (std::size_t phase = 0; phase < program.forward.size(); ++phase) {
    const std::size_t blocks = program.convolutions[phase].size() * convolution_blocks(rows);
    cost.pieces = std::max(cost.pieces, program.forward[phase].size() * row_parts(rows) + blocks);
  }
  return cost;
}

Crews divide(std::size_t members, std::size_t threads, const StepCost& cost) {
  Crews best{.count = 1, .threads = 1};
  double shortest = std::numeric_limits<double>::infinity();
  // Of equally fast divisions the one with most crews, and then with fewest threads: crews do not wait for each other.
  for (std::size_t crews = std::min(members, threads); crews > 0; --crews) {
    for (std::size_t size = 1; size <= threads / crews; ++size) {
      const double time = static_cast<double>(members) / static_cast<double>(crews) / speedup(size, cost);
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
