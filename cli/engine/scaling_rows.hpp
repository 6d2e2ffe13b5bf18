#pragma once
// What `nomu bench --scaling` measures.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nomu/engine/engine.hpp"

namespace nomu::cli {

struct ScalingRow {
  std::string name, unit;
  std::function<double(const std::shared_ptr<Engine>&)> measure;  ///< once, in the unit
  std::string benchmark = {};                                     ///< the case as TOML, if it is one that peers know
};

/// Training steps of the cases r1, r2 and r3, default fits of three sizes, and what else can use many cores: a Gaussian
/// process, bounds of a CV+ model, and a search by DIRECT. Work stops when an interrupt asks for it.
[[nodiscard]] std::vector<ScalingRow> scaling_rows();

}  // namespace nomu::cli
