#pragma once
/// Points of a search space as Python dictionaries: a real as float, an integer as int, a category by its name.

#include <nanobind/nanobind.h>

#include "nomu/bo/space.hpp"
#include "nomu/core/error.hpp"

namespace nomu::python {

[[nodiscard]] nanobind::dict params_of(const Space& space, const Point& point);

/// Throws DataError for unknown or missing variables and for values outside the space.
[[nodiscard]] Point point_of(const Space& space, const nanobind::dict& params);

}  // namespace nomu::python
