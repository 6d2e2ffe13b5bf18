#pragma once
// `nomu bench --scaling`: how much faster this machine's cores make fits and training steps.

#include <optional>
#include <string>

#include "engine/peers.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::cli {

struct ScalingOptions {
  EngineOptions limit;  ///< most threads; all there are if it leaves that open
  std::string only;     ///< text in the names of the rows to measure
  std::optional<PeerPrograms> peers;
  bool json = false;
};

/// Measures the rows of `scaling_rows` with 1, 2, 4, ... threads and, after each training step, the peers, if there are
/// any. Prints a table, or one JSON line for each number. Throws ConfigError if no row is left.
void print_scaling(const ScalingOptions& options);

}  // namespace nomu::cli
