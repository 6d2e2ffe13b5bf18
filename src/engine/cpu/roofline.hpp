#pragma once
// The least time of a CPU step: its matrix products with nothing between them, and one pass over parameters and
// moments.

#include "core/team.hpp"
#include "engine/backend.hpp"
#include "engine/cpu/kernels/gemm.hpp"
#include "engine/cpu/program.hpp"

namespace nomu::engine::cpu {

[[nodiscard]] Roofline measure_roofline(const TrainPlan& plan, const Program& program, Multiply multiply, Team& team);

}  // namespace nomu::engine::cpu
