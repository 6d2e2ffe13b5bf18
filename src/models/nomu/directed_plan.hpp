#pragma once
// The networks of directed bounds.

#include <cstddef>

#include "engine/plan.hpp"
#include "nomu/models/directed.hpp"

namespace nomu {

/// Outputs are f, upper, lower; no links (Figure 10 of the paper).
[[nodiscard]] engine::Networks directed_networks(const DirectedSpec& spec, std::size_t inputs);

}  // namespace nomu
