#pragma once
// The floor under a CPU step: its matrix products with nothing between them, and one pass over parameters and moments.

#include "engine/cpu/gemm.hpp"
#include "engine/cpu/program.hpp"
#include "engine/cpu/team.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine::cpu {

[[nodiscard]] Roofline measure_roofline(const TrainPlan& plan, const Program& program, Multiply multiply, Team& team);

}  // namespace nomu::engine::cpu
