#pragma once
// How the threads of a team are divided among the members of a cohort: a member gets as many as make it faster.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/cpu/program.hpp"
#include "engine/plan.hpp"

namespace nomu::engine::cpu {

/// A phase of a step, which ends when all its pieces are done. Rough figures, in seconds of one thread.
struct PhaseCost {
  double all = 0.0;
  double largest = 0.0;  ///< piece

  void add(double seconds) {
    all += seconds;
    largest = std::max(largest, seconds);
  }
};

/// What a step of one member costs, phase by phase.
using StepCost = std::vector<PhaseCost>;

/// `rows` are those of a step, artificial ones included.
[[nodiscard]] StepCost step_cost(const TrainPlan& plan, const Program& program, std::size_t rows);

struct Crews {
  std::size_t count;    ///< members in progress at the same time
  std::size_t threads;  ///< most that work on one of them
};

/// The division that should train all members soonest.
[[nodiscard]] Crews divide(std::size_t members, std::size_t threads, const StepCost& cost);

/// Threads that are worth waking for `flops` floating-point operations in independent pieces.
[[nodiscard]] std::size_t threads_for(double flops);

}  // namespace nomu::engine::cpu
