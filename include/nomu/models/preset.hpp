#pragma once
/// Presets of methods by name, and what a spec says about noise, scaling and images. A method takes part by having the
/// members and settings that are named here.

#include <cstddef>
#include <string_view>

#include "nomu/models/method.hpp"

namespace nomu {

/// A method by name in one of its presets: "auto" is its default spec; "interactive" has small networks that train in a
/// moment; "published" and "written" are offered by methods with static members of these names, and by those built on
/// NOMU's networks. Throws ConfigError naming what there is.
[[nodiscard]] MethodSpec method_preset(std::string_view method, std::string_view preset, std::size_t dimension);

/// "none", "known" (every row's standard deviation is given) or "learned"; set through the method's setting `noise` or
/// `learn_noise`. A method without the first takes known noise as a widening of its bounds; one without either refuses
/// to learn it. Throws ConfigError.
void set_noise(MethodSpec& spec, std::string_view noise);

/// Whether the method has a setting for learned noise.
[[nodiscard]] bool can_learn_noise(const MethodSpec& spec);

/// Whether the method draws artificial points in a fixed cube, which its inputs must fill.
[[nodiscard]] bool wants_cube(const MethodSpec& spec);

/// Whether a network of the method looks at rows as images.
[[nodiscard]] bool reads_images(const MethodSpec& spec);

}  // namespace nomu
