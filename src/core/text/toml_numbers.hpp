#pragma once
// Numbers from TOML. toml++ gives no double for whole numbers beyond 2^53, which it cannot represent exactly.

#include <toml++/toml.h>

namespace nomu {

/// The number nearest to that of a node that is one; 0 for other nodes.
[[nodiscard]] inline double nearest_double(const toml::node& node) {
  if (const auto* whole = node.as_integer()) return static_cast<double>(whole->get());
  const auto* real = node.as_floating_point();
  return real == nullptr ? 0.0 : real->get();
}

}  // namespace nomu
