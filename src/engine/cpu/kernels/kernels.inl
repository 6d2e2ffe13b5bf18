// Compiled once per instruction set, inside a namespace of its own (NOMU_ISA). Nothing here may call an inline function
// of another header that the linker could share between instruction sets, hence the plain loops and the local math.
// Sums over columns run over 16 fixed lanes, so that they do not depend on the instruction set's width.

#include "engine/cpu/kernels/gemm_eigen.inl"
#include "engine/cpu/kernels/kernels.hpp"
#include "engine/cpu/kernels/kernels_lanes.inl"
#include "engine/cpu/kernels/kernels_layers.inl"
#include "engine/cpu/kernels/kernels_random.inl"
#include "engine/cpu/kernels/kernels_update.inl"

// NOLINTBEGIN
namespace nomu::engine::cpu::NOMU_ISA {
namespace {

constexpr GemmProvider eigen{"eigen", &eigen_multiply};

}  // namespace

extern const Kernels table;
constinit const Kernels table{.isa = NOMU_ISA_NAME,
                              .bias_activate = &bias_activate,
                              .narrow_forward = &narrow_forward,
                              .apply_slope = &apply_slope,
                              .head_forward = &head_forward,
                              .head_backward = &head_backward,
                              .head_gradient = &head_gradient,
                              .narrow_gradient = &narrow_gradient,
                              .column_sums = &column_sums,
                              .update = &update,
                              .low_rank_update = &low_rank_update,
                              .sum_squares = &sum_squares,
                              .gradient_squares = &gradient_squares,
                              .drop = &drop,
                              .uniform = &uniform,
                              .eigen = &eigen};

}  // namespace nomu::engine::cpu::NOMU_ISA
// NOLINTEND
