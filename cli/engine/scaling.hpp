#pragma once
// `nomu bench --scaling`: how much faster this machine's cores make fits and training steps.

#include "nomu/engine/engine.hpp"

namespace nomu::cli {

/// Measures default fits of three sizes and the cases r1, r2 and r3 with 1, 2, 4, ... threads, up to `limit.threads` or
/// all there are, and prints a table, or one JSON line for each number.
void print_scaling(const EngineOptions& limit, bool json);

}  // namespace nomu::cli
