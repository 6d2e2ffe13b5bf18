#pragma once
// What a method can do about noise and how its inputs are scaled, by the members and settings that its spec has.

#include <string_view>

#include "nomu/models/method.hpp"

namespace nomu {

/// "none", "known" (the standard deviation of every row is given) or "learned"; sets the method's setting `noise` or
/// `learn_noise`. A method without the former uses known noise to widen its bounds; one with neither cannot learn
/// noise. Throws ConfigError.
void set_noise(MethodSpec& spec, std::string_view noise);

/// Whether the method has a setting for learned noise.
[[nodiscard]] bool can_learn_noise(const MethodSpec& spec);

/// Whether the method draws artificial points in a fixed cube, which its inputs must fill.
[[nodiscard]] bool wants_cube(const MethodSpec& spec);

}  // namespace nomu
