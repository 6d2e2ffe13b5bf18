#pragma once
/// The one place where words of the command line become the spec of a method: its preset and what is known about the
/// noise. A method takes part by having the members and settings that are named here.

#include <cstddef>
#include <string_view>

#include "nomu/models/method.hpp"

namespace nomu {

/// A method by name in one of its presets: "auto" is its default spec; "published" and "written" are offered by methods
/// with static members of these names, and by those built on NOMU's networks. Throws ConfigError naming what there is.
[[nodiscard]] MethodSpec method_preset(std::string_view method, std::string_view preset, std::size_t dimension);

/// "none", "known" (every row's standard deviation is given) or "learned"; set through the method's setting `noise` or
/// `learn_noise`. A method without the first takes known noise as a widening of its bounds; one without either refuses
/// to learn it. Throws ConfigError.
void set_noise(MethodSpec& spec, std::string_view noise);

/// The spec with all that it leaves to be chosen filled in for n rows and d columns, by the `resolved` of the method
/// where it has one. A model keeps the result, so that later versions may choose otherwise.
[[nodiscard]] MethodSpec resolved_for(const MethodSpec& spec, std::size_t rows, std::size_t cols);

/// Noise for rows about which nobody said anything: a method that can learn it does from 100 rows on; fewer cannot tell
/// it from the function. The paper's presets stay as they are.
void choose_noise(MethodSpec& spec, std::string_view preset, std::size_t rows);

/// Whether the method draws artificial points in a fixed cube, which its inputs must fill.
[[nodiscard]] bool wants_cube(const MethodSpec& spec);

/// Whether a network of the method looks at rows as images.
[[nodiscard]] bool reads_images(const MethodSpec& spec);

}  // namespace nomu
