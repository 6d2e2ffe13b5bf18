#pragma once
/// NumPy arrays as spans, and vectors as NumPy arrays: nothing is copied on the way out, and on the way in only what is
/// not yet double precision, row by row.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace nomu::python {

namespace nb = nanobind;

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  ///< [q]
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;     ///< [q][d]
using Array = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

template <class A>
[[nodiscard]] std::span<const double> span_of(const A& array) {
  return {array.data(), array.size()};
}

[[nodiscard]] inline std::span<const double> span_of(const std::optional<Numbers>& array) {
  return array ? span_of(*array) : std::span<const double>{};
}

template <class A>
[[nodiscard]] std::vector<double> vector_of(const A& array) {
  const std::span<const double> values = span_of(array);
  return {values.begin(), values.end()};
}

/// The array owns the vector from now on.
[[nodiscard]] inline Array to_numpy(std::vector<double>&& values) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

/// A view of a vector that `owner` keeps alive; None where the vector is empty and `optional` says so.
[[nodiscard]] inline nb::object view_of(std::vector<double>& values, nb::handle owner, bool optional = false) {
  if (optional && values.empty()) return nb::none();
  return nb::cast(Array(values.data(), {values.size()}, owner));
}

}  // namespace nomu::python
