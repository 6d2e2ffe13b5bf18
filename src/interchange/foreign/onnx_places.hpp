#pragma once
// Walks through an array while another one is written in order: repeated axes, slices and turned axes are all steps
// through the numbers of the first.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "interchange/foreign/onnx_node.hpp"

namespace nomu {

/// The place in an array for each entry of a result with shape `whole`, in order.
class OnnxPlaces {
 public:
  /// `steps` says how far the place moves when an axis of the result advances by one.
  OnnxPlaces(std::vector<std::int64_t> steps, OnnxArray::Shape whole, std::int64_t first = 0)
      : whole_(std::move(whole)), steps_(std::move(steps)), index_(whole_.size()), place_(first) {}

  /// Shapes are aligned at their last axes; an axis of length 1 is repeated.
  [[nodiscard]] static OnnxPlaces repeated(const OnnxArray::Shape& shape, const OnnxArray::Shape& whole);

  [[nodiscard]] std::size_t next() {
    const std::int64_t here = place_;
    for (std::size_t i = whole_.size(); i-- > 0;) {
      place_ += steps_[i];
      if (++index_[i] < whole_[i]) break;
      place_ -= steps_[i] * index_[i];
      index_[i] = 0;
    }
    return static_cast<std::size_t>(here);
  }

 private:
  OnnxArray::Shape whole_;
  std::vector<std::int64_t> steps_;
  OnnxArray::Shape index_;
  std::int64_t place_;
};

/// How far apart two neighbours along each axis lie.
[[nodiscard]] std::vector<std::int64_t> strides_of(const OnnxArray::Shape& shape);

/// The shape of two arrays that are joined number by number, aligned at their last axes; an axis of length 1 is
/// repeated. Refuses shapes that do not match.
[[nodiscard]] OnnxArray::Shape joined(const OnnxNode& node, const OnnxArray::Shape& a, const OnnxArray::Shape& b);

/// Entries of `in`, one for each place; the result has `shape`.
[[nodiscard]] OnnxArray taken(const OnnxNode& node, const OnnxArray& in, OnnxArray::Shape shape, OnnxPlaces places);

}  // namespace nomu
