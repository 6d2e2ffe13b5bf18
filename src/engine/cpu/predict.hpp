#pragma once
// Prediction on the CPU, in blocks of a fixed number of rows: a row's value never depends on its neighbours.

#include <cstdint>
#include <span>
#include <vector>

#include "core/team.hpp"
#include "engine/cpu/kernels/kernels.hpp"
#include "engine/layout.hpp"
#include "engine/session.hpp"

namespace nomu::engine::cpu {

struct PredictContext {
  const Networks& networks;
  const Layout& layout;
  const Kernels& kernels;
  Multiply multiply;
  DropoutPass dropout;
  std::span<const std::uint64_t> seeds;            ///< [M], for dropout
  std::vector<std::span<const float>> parameters;  ///< [M][P]
};

/// Outputs [M][q][K] for x [G][q][d], where G divides M: each for M / G networks in a row.
[[nodiscard]] Tensor<float> predict(const PredictContext& context, const Tensor<float>& x, Team& team);

}  // namespace nomu::engine::cpu
